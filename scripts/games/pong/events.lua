-- Events emitted by systems and buttons.
local t = shoal.types

return {
  go = { to = t.string "title" },
  hit = { x = 0, y = 0, side = t.i32(-1), speed = 0 },
  wall = { x = 0, y = 0 }, goal = { side = t.i32(-1), y = 0 },
  forget = {}, -- a match begins: there is no previous rally
  one_player = {}, two_players = {}, again = {},
}
