local t = shoal.types

return {
  heat = t.single { value = t.f32(0, { min = 0, max = 1, doc = "how near danger is" }) },
  wanderer = { speed = 150 },
  hunter = { eager = 0, doc = "eager: seconds for which it comes closer" },
  star = {},
}
