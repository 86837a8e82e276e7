-- What things are made of. Distances are pixels, angles radians, times seconds.
local t = shoal.types

return {
  -- moving and flying
  motion = { vx = 0, vy = 0, spin = 0 },
  wrap = { margin = 16 }, -- leaves at one edge, comes back at the other
  intent = { turn = 0, thrust = false, fire = false, warp = false }, -- a pilot's wishes
  controls = {}, -- its intent is fed by keyboard and pad
  autopilot = { reload = 0 }, -- its intent is fed by the demo's pilot
  engine = { push = 420, turn_rate = 4.6, drag = 0.45, top_speed = 560, heat = 0 },
  warp_drive = { wait = 0 },
  gun = { wait = 0, interval = 0.15, bullets = t.i32(5), speed = 620, reach = 0.95 },

  -- what it is
  ship = {},
  rock = { size = t.enum { "large", "medium", "small" } },
  saucer = { small = false, speed = 130, turn_in = 1, fire_in = 1 },
  bullet = {},
  flame = {},
  hazard = { radius = 10, worth = 0 }, -- what a pilot avoids, or hunts for its worth
  prop = {}, -- cleared away when a game begins or ends

  -- what happens to it
  grace = { left = 2.6 }, -- cannot be hit yet
  wreck = { left = 2.8, waited = 0 }, -- has been hit, and drifts in pieces
  struck = { scores = false, x = 0, y = 0, nx = 0, ny = 0 }, -- was hit in this tick

  -- looks
  debris = { life = 1, drag = 1.2, peak = 1 }, -- fades while its lifetime runs out
  ring = { growth = 200, life = 1, peak = 1 },
  popup = { life = 1 },
  star = { base = 0.5, swing = 0.3, rate = 1, phase = 0, depth = 0.02 },

  -- one of each
  game = t.single { phase = t.enum { "title", "demo", "playing", "paused", "over" }, clock = 0, new_best = false },
  score = t.single { points = t.i32(0), shown = 0, best = t.i32(0), lives = t.i32(3), next_ship = t.i32(10000) },
  wave = t.single { number = t.i32(0), wait = 0, total = t.i32(0), saucer_in = 0, beat_in = 0, beat_high = false },
  impact = t.single { shake = 0, flash = 0 },
}
