local t = shoal.types
return {
  pose = { height = 0 }, -- height of the monster in the picture, which follows FlyingPart.height (systems/pose.lua)
  -- The latest lines that parts have printed: index in LINES (lib/console.lua), and value
  console = t.single { lines = t.list(t.u8, 5), values = t.list(t.f32, 5) },
}
