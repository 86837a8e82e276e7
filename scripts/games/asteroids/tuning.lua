-- Gameplay parameters: distances in pixels, times in seconds.
return {
  width = 1280,
  height = 720,

  ships = 3,
  ships_for_player = 1, -- additional reserve ships for each player after the first
  rocks_for_player = 1, -- additional large rocks in each wave for each player after the first
  ship_distance = 84, -- distance between the start positions of several players' ships
  first_extra_ship = 10000, -- score for the first extra ship; doubles with each ship
  demo_length = 50,
  over_settles = 1,     -- time for which the game-over screen ignores input

  rocks_in_first_wave = 4,
  most_rocks = 11,
  faster_each_wave = 0.07,
  pause_before_first_wave = 1.4,
  pause_between_waves = 3,
  clear_radius = 150,   -- no hazard may be within 0.6 × this distance of a new ship, until it has waited 5 seconds

  rocks = {
    large = { radius = 56, speed = 70, spread = 32, points = 20, power = 0.8, next = "medium", weight = 7 },
    medium = { radius = 30, speed = 105, spread = 70, points = 50, power = 0.5, next = "small", weight = 3 },
    small = { radius = 15, speed = 150, spread = 95, points = 100, power = 0.28, weight = 1 },
  },

  saucer_first = 14,    -- time before the first saucer of wave n is this value minus n, but at least 5
  saucer_again = 11,    -- mean time in seconds before each later saucer
  saucer_big_points = 200,
  saucer_small_points = 1000,
  mother_ship_every = 4, -- number of waves between two mother ships
  mother_ship_points = 2500,
  saucer_small_from = 4000,   -- score at which small saucers start to appear
  saucer_sharp_at = 30000,    -- score at which the aim of small saucers is perfect

  colours = { -- red, green, blue; values above 1 glow (camera.bloom) and look whiter
    ship = { 0.78, 1.25, 1.4 },
    large = { 0.50, 0.62, 1.15 },
    medium = { 0.74, 0.52, 1.15 },
    small = { 1.15, 0.50, 0.92 },
    saucer_big = { 0.50, 1.3, 0.62 },
    saucer_small = { 1.4, 0.50, 0.32 },
    mother_ship = { 1.25, 0.45, 1.3 },
    bullet = { 2.2, 1.9, 1.0 },
    fire = { 1.4, 0.62, 0.22 },
    flame = { 2.0, 0.9, 0.25 },
    text = { 0.70, 0.90, 1.0 },
    gold = { 1.0, 0.82, 0.36 },
  },
}
