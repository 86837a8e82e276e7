local t = shoal.types
return {
  pose = { height = 0 }, -- what the picture shows: without FlyingPart, the monster falls instead of being on the ground
  -- The latest lines that parts have printed: index in LINES (lib/console.lua), and value
  console = t.single { lines = t.list(t.u8, 5), values = t.list(t.f32, 5) },
}
