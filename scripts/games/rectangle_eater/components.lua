-- Distances are in pixels, times in seconds.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "course", "menu", "over" }, clock = 0, demo = false, -- clock: time since the phase began
    course = t.i32(0), points = t.i32(0), is_best = false, full = false, played = t.i32(0), -- played: finished games
    chain = t.i32(0), chain_left = 0, -- chain: consecutive bites; chain_left: seconds left to continue the chain
    worth = 1, -- score multiplier
    traits = "", offers = "", -- current and offered traits: numbers in traits.json
  },
  eater = { health = 60, side = 56, vx = 0, vy = 0, grace = 0, mouth = 0, x = 1, y = 0 }, -- x, y: facing direction
  intent = { x = 0, y = 0 }, -- set by the player or the AI
  food = { side = 40, aspect = 1, tone = t.i32(1), decay = 7, age = 0 }, -- decay: loss of size in pixels per second
  -- Trait components: traits.json adds them to all rectangles.
  flees = { speed = 90 }, hunts = { speed = 45 }, drifts = { speed = 80, angle = 0 }, breeds = { count = t.i32(2) },
  blinks = { seconds = 1.4 },
  prop = {}, -- destroyed when a game or a screen begins
}
