return {
  title = "Good evening",
  caption = "Every line is a key: edit strings/en.lua while this runs.",
  story = "The text fields store only keys. Choose a language and move the slider: plural forms follow the number.",
  apples = { slider = "Apples", basket = { one = "{n} apple in the basket", other = "{n} apples in the basket" } },
}
