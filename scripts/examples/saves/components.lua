local t = shoal.types

return {
  flower = { hue = 0, age = 0 },
  shelf = t.single { one = "", two = "", three = "", looks = t.i32(-1), doc = "what is saved; looks: at which tick" },
}
