-- What the menu keeps: how a fish swims, and what is shown.
local t = shoal.types
return {
  swim = { speed = 60, phase = 0 },
  shown = t.single { kind = "games", index = t.i32(1), folder = "" },
}
