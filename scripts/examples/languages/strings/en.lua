return {
  title = "Good evening",
  story = "What is on the screen are keys. Choose a language, and move the slider: numbers have forms of their own.",
  apples = { slider = "Apples", basket = { one = "{n} apple in the basket", other = "{n} apples in the basket" } },
}
