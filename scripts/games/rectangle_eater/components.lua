-- Distances are in pixels, times in seconds, colours 0 … 255. The components of rectangles have the names of the
-- article "How to Build an Entity Component System Game in Javascript"; any entity can have any of them.
local t = shoal.types
return {
  match = t.single {
    -- clock: time since the phase began or, on the title screen, since the last menu input
    phase = t.enum { "title", "course", "menu", "over" }, clock = 0, demo = false, players = t.i32(1),
    -- full: true if an eater has survived all courses; played: number of finished games
    course = t.i32(0), points = t.i32(0), is_best = false, full = false, played = t.i32(0),
    record = t.i32(0), -- record: best score before this game; is_best: true if this game has beaten it
    chain = { bites = t.i32(0), left = 0 }, -- bites: number of bites in a row; left: time left to continue the chain
    worth = 1, -- score multiplier: the product of the current traits' `worth`
    -- numbers of traits in assets/traits.json: chosen ones, and offered ones
    traits = t.list(t.u8, 16), offers = t.list(t.u8, 3),
  },
  position = { x = 640, y = 390 }, -- position of the centre
  -- size: half of the side; aspect: factor of the width, divisor of the height; grown: factor of both, 0 … 1
  appearance = { size = 20, aspect = 1, grown = 1, colors = { r = 255, g = 255, b = 255 } },
  collision = { size = 20, aspect = 1 }, -- size for collisions, which differs from the drawn size
  -- decay: loss per second, except of eaters (assets/looks.json). The size follows from the health (systems/decay.lua).
  health = { value = 20, decay = 10 },
  -- Makes an entity an eater. player: 1 or 2 for a player's own keys, 0 for the keys of all players
  playerControlled = { requires = { "position", "intent", "motion", "mouth" }, player = t.i32(0) },
  intent = { x = 0, y = 0 }, motion = { vx = 0, vy = 0 }, -- intent: direction chosen by a player or the AI
  -- open: time for which it stays open; grace: time of invulnerability left; x, y: facing direction
  mouth = { open = 0, grace = 0, x = 1, y = 0 },
  -- Components of traits. Each chosen trait of traits.json adds its own components to all rectangles.
  flees = { speed = 90 }, hunts = { speed = 45 }, drifts = { speed = 80, angle = 0 }, breeds = { count = t.i32(2) },
  blinks = { seconds = 1.4, clock = 0, hidden = false },
  popup = { points = t.i32(0) }, -- points of the most recent bites, shown at their position
  prop = {}, -- tag of entities that are destroyed when the title screen or a game begins
}
