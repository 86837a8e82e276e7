-- What the menu keeps: how a fish swims, and which game is chosen.
local t = shoal.types
return {
  swim = { speed = 60, phase = 0 },
  choice = t.single { index = t.i32(1) },
}
