-- Events emitted by systems and buttons.
local t = shoal.types

return {
  go = { to = t.string "title", begins = false }, -- begins: true if a new game begins
  hit = { x = 0, y = 0, side = t.i32(-1), speed = 0, smash = false },
  wall = { x = 0, y = 0 }, goal = { side = t.i32(-1), y = 0 },
  star_taken = { x = 0, y = 0, side = t.i32(-1) }, -- the ball of this side has taken a star
  forget = {}, -- emitted when a match begins: there is no previous rally
  one_player = {}, two_players = {}, again = {},
}
