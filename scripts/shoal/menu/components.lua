-- Components of the menu: motion of a fish, and the selected list entry.
local t = shoal.types
return {
  swim = { speed = 60, phase = 0 },
  shown = t.single { kind = "games", index = t.i32(1), folder = "" },
}
