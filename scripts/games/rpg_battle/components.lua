-- Distances are in pixels, times in seconds. Side 1 is the player's, side -1 the monsters'.
local t = shoal.types
return {
  match = t.single {
    phase = t.enum { "title", "cards", "battle", "after", "over" }, clock = 0, demo = false, won = false,
    battle = t.i32(0), score = t.i32(0), is_best = false, played = t.i32(0), -- played: number of finished runs
    -- card1 … card3: indices of the offered cards in cards.json; focus, holds: the player's orders (systems/orders.lua)
    card1 = t.i32(0), card2 = t.i32(0), card3 = t.i32(0), focus = t.entity, holds = false,
  },
  unit = {
    side = t.i32(1), hp = 1, max = 0, damage = 1, reach = 40, speed = 60, period = 1, worth = t.i32(10), front = 0,
    -- kit: the parts that it has at the start of a battle; worn: its attached parts; armour: number of hits that its
    -- shield can still block
    kit = "", worn = "", target = t.entity, armour = t.i32(0),
    height = 0, lift = 0, lunge = 0, flash = 0, walk = 0, size = 1, home_x = 0, home_y = 0,
  },
  shot = { target = t.entity, kind = "arrow", points = 1, x = 0, y = 0, part = 0, speed = 1 }, prop = {},
}
