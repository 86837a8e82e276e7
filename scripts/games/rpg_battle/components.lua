-- Distances are in pixels, times in seconds. Side 1 is the player's side, side -1 the monsters' side.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "cards", "battle", "after", "over" }, clock = 0, demo = false, won = false,
    battle = t.i32(0), score = t.i32(0), played = t.i32(0), -- played: number of finished runs
    -- record: best score before this run; is_best: true if this run has beaten it
    record = t.i32(0), is_best = false,
    -- retreats: number of retreats left; fled: true if the team has retreated from this battle
    retreats = t.i32(0), fled = false,
    -- card1 … card3: indices of the offered cards in cards.json; focus, holds: the player's orders (systems/orders.lua)
    card1 = t.i32(0), card2 = t.i32(0), card3 = t.i32(0), focus = t.entity, holds = false,
  },
  -- kit: the parts that the unit has at the start of each battle (lib/parts.lua); home: its position at that time
  unit = { requires = { "transform", "health", "walk", "attack", "pose" }, side = t.i32(1), worth = t.i32(10), kit = "",
    target = t.entity, home_x = 0, home_y = 0 },
  health = { points = 1, max = 1 },
  walk = { speed = 60, stride = 0 }, -- stride: swing angle of the legs
  attack = { damage = 1, reach = 40, period = 1 }, -- read by all weapons and spells of the unit
  pose = { size = 1, height = 0, lunge = 0, flash = 0 }, -- read by the systems and parts that draw units
  shot = { target = t.entity, kind = "arrow", points = 1, x = 0, y = 0, part = 0, speed = 1 }, prop = {},
  number = { x = 0, y = 0 }, -- start position of a damage or healing number
}
