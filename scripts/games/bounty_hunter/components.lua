-- Distances are in pixels, times in seconds.
local t = shoal.types
return {
  match = t.single {
    -- clock: time since the phase began or the menu was last used; left: time until sunset
    phase = t.enum { "title", "ready", "hunt", "tally", "over" }, clock = 0, left = 0,
    players = t.i32(0), day = t.i32(0), -- players: number of players with a hunter; 0 in the demo
    -- purse: gold of the richest player at sunset, summed over all days; played: number of finished games
    -- record: the fullest purse before this game; is_best: whether this game has beaten it
    purse = t.i32(0), record = t.i32(0), is_best = false, played = t.i32(0),
    -- warned: true if a single player was the poorest on the first day, and was only warned
    warned = false,
    -- outlaw_in: time until the outlaw appears; leaves: stash number of the hunter that leaves town; last: whether the
    -- game ends after this day
    outlaw_in = 0, leaves = t.i32(0), last = false,
  },
  -- player: 0 for an AI hunter; row: number of bounties delivered in a row
  stash = { number = t.i32(1), player = t.i32(0), gold = t.i32(0), row = t.i32(0) },
  -- home: the hunter's stash
  hunter = { requires = { "transform", "motion", "train", "dash", "intent" }, home = t.entity },
  motion = { vx = 0, vy = 0 },
  -- load: number of carried bounties; last: the last bounty in the train; wait: time until it can deliver the next
  -- bounty
  train = { load = t.i32(0), last = t.entity, wait = 0 },
  -- left: seconds left of the dash; rest: seconds until the next dash; dazed: seconds left of the daze after a ram
  dash = { left = 0, rest = 0, dazed = 0 },
  -- The states of a hunter. calm: time until it may begin a chase
  rides = {}, seeks = { calm = 3 }, chases = { prey = t.entity, left = 2.4 }, returns = {},
  intent = { x = 0, y = 0, dash = false }, -- set by the systems of the four states, read by systems/walk.lua
  bounty = { value = t.i32(1), taken = false, grace = 0 },
  carried = { by = t.entity, after = t.entity }, flung = { vx = 0, vy = 0 },
  spawner = { wait = 0, bounty = t.entity }, outlaw = { x = 640, y = 360, speed = 120, clock = 0 },
  roams = {}, flees = {}, tires = {}, -- the states of an outlaw
  prop = {}, -- tag of entities that are destroyed when a day, the title screen or the game-over screen begins
}
