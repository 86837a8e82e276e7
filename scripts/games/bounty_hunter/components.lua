-- What the game is made of. Distances are pixels, times seconds.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "ready", "hunt", "tally", "over" }, clock = 0, left = 0, -- since it began; until sunset
    players = t.i32(0), day = t.i32(0), -- players: 0, the machines hunt for show
    purse = t.i32(0), is_best = false, played = t.i32(0), -- what a player has brought in; games to their end
    outlaw_in = 0, leaves = t.i32(0), last = false, -- who is the poorest, and whether it is over with that
  },
  stash = { number = t.i32(1), player = t.i32(0), gold = t.i32(0), row = t.i32(0) }, -- row: in one go
  -- How many it carries, and the end of their train; dash to wait: for how long yet; whom a machine is after.
  hunter = { home = t.entity, load = t.i32(0), last = t.entity, vx = 0, vy = 0, dash = 0, rest = 0, dazed = 0, wait = 0,
    prey = t.entity, chase = 0 },
  intent = { x = 0, y = 0, dash = false }, -- of a player or a machine: what moves a hunter does not ask whose it is
  bounty = { value = t.i32(1), taken = false, grace = 0 },
  carried = { by = t.entity, after = t.entity }, flung = { vx = 0, vy = 0 },
  spawner = { wait = 0, bounty = t.entity }, outlaw = { clock = 0, x = 640, y = 360, speed = 120 },
  prop = {}, -- what is cleared away when a day or a screen begins
}
