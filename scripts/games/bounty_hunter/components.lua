-- Distances are in pixels, times in seconds.
local t = shoal.types
return {
  match = t.single {
    -- clock: time since the phase began; left: time until sunset
    phase = t.enum { "title", "ready", "hunt", "tally", "over" }, clock = 0, left = 0,
    players = t.i32(0), day = t.i32(0), -- players: 0 in the demo (AI hunters only)
    purse = t.i32(0), is_best = false, played = t.i32(0), -- purse: gold of the player; played: finished games
    -- leaves: number of the hunter that leaves town; last: whether the game ends after this day
    outlaw_in = 0, leaves = t.i32(0), last = false,
  },
  stash = { number = t.i32(1), player = t.i32(0), gold = t.i32(0), row = t.i32(0) }, -- row: consecutive deliveries
  -- load: number of carried bounties; last: last bounty of the train; dash, rest, dazed, wait: seconds left; prey:
  -- target of the AI
  hunter = { home = t.entity, load = t.i32(0), last = t.entity, vx = 0, vy = 0, dash = 0, rest = 0, dazed = 0, wait = 0,
    prey = t.entity, chase = 0 },
  intent = { x = 0, y = 0, dash = false }, -- set by a player or the AI, read by the movement
  bounty = { value = t.i32(1), taken = false, grace = 0 },
  carried = { by = t.entity, after = t.entity }, flung = { vx = 0, vy = 0 },
  spawner = { wait = 0, bounty = t.entity }, outlaw = { clock = 0, x = 640, y = 360, speed = 120 },
  prop = {}, -- destroyed when a day or a screen begins
}
