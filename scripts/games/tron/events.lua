-- Events emitted by systems and buttons.
local t = shoal.types
return {
  go = { to = "title", begins = false }, -- begins: true if a new game begins
  burst = { kind = "turned", side = t.i32(0), x = 0, y = 0, words = "" },
  one_player = {}, two_players = {}, again = {},
}
