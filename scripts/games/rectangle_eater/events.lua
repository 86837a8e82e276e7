-- Events emitted by systems and buttons.
local t = shoal.types
return {
  go = { to = "title" }, play = {}, offer = {},
  serve = { entity = t.entity },
  eaten = { x = 0, y = 0, tone = t.i32(1), points = t.i32(0), side = 0 }, bitten = { x = 0, y = 0 },
}
