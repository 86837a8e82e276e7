-- Distances are in pixels, angles in radians, times in seconds.
local t = shoal.types

return {
  -- movement and flight
  motion = { vx = 0, vy = 0, spin = 0 },
  wrap = { margin = 16 }, -- an entity moves to the opposite edge when it is more than `margin` outside the field
  -- The pilot's commands. turn: -1 (left) to 1 (right).
  intent = { turn = 0, thrust = false, fire = false, warp = false },
  controls = {}, -- tag: the keyboard or gamepad of the ship's player sets the intent
  autopilot = { reload = 0 }, -- the demo's autopilot sets the intent
  engine = { push = 420, turn_rate = 4.6, drag = 0.45, top_speed = 560, heat = 0 },
  warp_drive = { wait = 0 },
  gun = { wait = 0, interval = 0.15, bullets = t.i32(5), speed = 620, reach = 0.95 },

  -- kinds of objects
  ship = { player = t.i32(0) }, -- player: number of the ship's player; 0 in the demo
  rock = { size = t.enum { "large", "medium", "small" } },
  saucer = { small = false, speed = 130, turn_in = 1, fire_in = 1 },
  mother_ship = { armour = t.i32(14) }, -- armour: number of hits left until it is destroyed
  bullet = { player = t.i32(0) }, -- player: number of the player who fired it; 0 if the demo or a saucer fired it
  flame = {},
  hull = {}, -- tag of a ship's face, which is hidden while the ship is a wreck
  -- worth: priority of the hazard as a target for the autopilot, which avoids hazards; 0: not a target
  hazard = { radius = 10, worth = 0 },
  prop = {}, -- tag of entities that are destroyed when the title screen, the demo or a game starts

  -- states
  grace = { left = 2.6 }, -- left: remaining seconds of invulnerability
  -- left: seconds until the ship may respawn; waited: seconds that the ship has waited since then
  wreck = { left = 2.8, waited = 0 },
  -- A hit at x, y in the direction nx, ny. scores: true if the hit earns points.
  struck = { scores = false, x = 0, y = 0, nx = 0, ny = 0 },

  -- appearance
  debris = { life = 1, drag = 1.2, peak = 1 }, -- peak: opacity at the start, which falls to 0 over the lifetime
  ring = { growth = 200, life = 1, peak = 1 },
  popup = { life = 1 },
  star = { base = 0.5, swing = 0.3, rate = 1, phase = 0, depth = 0.02 },

  -- singletons
  game = t.single { phase = t.enum { "title", "demo", "playing", "paused", "over" }, clock = 0 },
  -- record: the best score before this game
  -- crew: bit n - 1 is set once player n has had a ship in this game
  score = t.single { points = t.i32(0), shown = 0, record = t.i32(0), lives = t.i32(3), next_ship = t.i32(10000),
    crew = t.u32(0) },
  wave = t.single { number = t.i32(0), wait = 0, total = t.i32(0), saucer_in = 0, beat_in = 0, beat_high = false },
  impact = t.single { shake = 0, flash = 0 },
}
