-- Events emitted by systems and buttons. eaten: position of the eaten entity; bitten: position of the bitten eater
local t = shoal.types
return {
  go = { to = "title", begins = false }, -- begins: true if a new game begins
  play = {}, play_two = {}, again = {}, offer = {},
  serve = { entity = t.entity },
  eaten = { x = 0, y = 0, r = 255, g = 255, b = 255, points = t.i32(0) }, bitten = { x = 0, y = 0 },
}
