-- What the game is made of. Distances are pixels, times seconds.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "course", "menu", "over" }, clock = 0, demo = false, -- seconds since it began
    course = t.i32(0), points = t.i32(0), is_best = false, full = false, played = t.i32(0), -- games to their end
    chain = t.i32(0), chain_left = 0, -- bites in a row, and for how long yet
    worth = 1, -- what points are multiplied with
    traits = "", offers = "", -- which rectangles have, and which may be chosen: their numbers in traits.json
  },
  eater = { health = 60, side = 56, vx = 0, vy = 0, grace = 0, mouth = 0, x = 1, y = 0 }, -- x, y: where it looks
  intent = { x = 0, y = 0 }, -- of the player or of the pilot
  food = { side = 40, aspect = 1, tone = t.i32(1), decay = 7, age = 0 }, -- pixels that it loses in a second
  -- What a rectangle may be besides: traits.json gives these to all of them.
  flees = { speed = 90 }, hunts = { speed = 45 }, drifts = { speed = 80, angle = 0 }, breeds = { count = t.i32(2) },
  blinks = { seconds = 1.4 },
  prop = {}, -- what is cleared away when a game or a screen begins
}
