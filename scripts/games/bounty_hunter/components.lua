-- Distances are in pixels, times in seconds.
local t = shoal.types
return {
  match = t.single {
    -- time in the phase; time until sunset
    phase = t.enum { "title", "ready", "hunt", "tally", "over" }, clock = 0, left = 0,
    players = t.i32(0), day = t.i32(0), -- players: 0 in the demo (AI hunters only)
    purse = t.i32(0), is_best = false, played = t.i32(0), -- gold brought home by the player; finished games
    outlaw_in = 0, leaves = t.i32(0), last = false, -- number of the hunter that leaves; whether the game ends with it
  },
  stash = { number = t.i32(1), player = t.i32(0), gold = t.i32(0), row = t.i32(0) }, -- row: deliveries in a row
  -- load: bounties carried; last: end of their train; dash, rest, dazed, wait: seconds left; prey: the AI's target.
  hunter = { home = t.entity, load = t.i32(0), last = t.entity, vx = 0, vy = 0, dash = 0, rest = 0, dazed = 0, wait = 0,
    prey = t.entity, chase = 0 },
  intent = { x = 0, y = 0, dash = false }, -- set by a player or the AI; movement does not depend on which
  bounty = { value = t.i32(1), taken = false, grace = 0 },
  carried = { by = t.entity, after = t.entity }, flung = { vx = 0, vy = 0 },
  spawner = { wait = 0, bounty = t.entity }, outlaw = { clock = 0, x = 640, y = 360, speed = 120 },
  prop = {}, -- removed when a day or a screen begins
}
