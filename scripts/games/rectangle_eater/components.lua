-- Distances are in pixels, times in seconds.
local t = shoal.types
return {
  match = t.single {
    -- clock: time since the phase began or, on the title screen, since the last menu input
    phase = t.enum { "title", "course", "menu", "over" }, clock = 0, demo = false,
    -- full: whether the eater has survived all courses; played: number of finished games
    course = t.i32(0), points = t.i32(0), is_best = false, full = false, played = t.i32(0),
    chain = { bites = t.i32(0), left = 0 }, -- bites: number of bites in a row; left: time left to continue the chain
    worth = 1, -- score multiplier: the product of the current traits' `worth`
    traits = t.list(t.u8, 16), offers = t.list(t.u8, 3), -- current and offered traits: indices in traits.json
  },
  -- grace: time of invulnerability left; mouth: time for which the mouth stays open; x, y: facing direction
  eater = { health = 60, side = 56, vx = 0, vy = 0, grace = 0, mouth = 0, x = 1, y = 0 },
  intent = { x = 0, y = 0 }, -- set by the player or the AI
  -- tone: index of its colour in looks.json; decay: pixels per second by which `side` shrinks
  food = { side = 40, aspect = 1, tone = t.i32(1), decay = 7, age = 0 },
  -- Components of traits. Each chosen trait of traits.json adds its own components to all rectangles.
  flees = { speed = 90 }, hunts = { speed = 45 }, drifts = { speed = 80, angle = 0 }, breeds = { count = t.i32(2) },
  blinks = { seconds = 1.4 },
  prop = {}, -- tag: destroyed when the title screen or a game begins
}
