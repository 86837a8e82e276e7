local t = shoal.types

return {
  dot = { ease = t.string "linear", left = 0, width = 190, doc = "goes from left to left + width, and back" },
}
