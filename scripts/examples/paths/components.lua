local t = shoal.types

return {
  trail = { radius = t.f32(4), colour = { 1, 0.75, 0.35, 1 }, doc = "what follows a path leaves this behind" },
  courier = {},
  stop = {},
}
