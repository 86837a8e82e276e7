-- English strings, including the names on the options screen.
return {
  title = {
    rules = {
      "Eat anything smaller than you: the smaller, the better.",
      "Larger rectangles bite. Between courses you choose",
      "what rectangles are like.",
    },
    keys = "Move: {move}",
    best = "Best meal", food = "food", bites = "bites",
    one = "One eater", two = "Two eaters",
  },
  belly = "Belly", belly_of = "Belly {n}",
  course = "Course {n}", course_left = "Course {n}: {seconds} s",
  worth = "points ×{n}", eat = "Eat!", announce = "{trait}!",
  dishes = {
    title = "Course {n} eaten", question = "What will rectangles be like from now on?",
    only_shrink = "So far they only shrink.", so_far = "So far they", text = "{trait}   points ×{worth}",
    two = "{a}  ·  {b}",
  },
  over = {
    full = "FULL", starved = "STARVED", points = { one = "{n} point", other = "{n} points" },
    new_best = "Best meal ever!", hint = "Coloured rectangles are food. Black ones with teeth bite.",
  },
  -- Each trait of traits.json as a sentence, and as an item of a list that follows menu.so_far.
  traits = {
    flee = { sentence = "They flee from you", item = "flee from you" },
    hunt = { sentence = "They come after you", item = "come after you" },
    drift = { sentence = "They drift about", item = "drift about" },
    breed = { sentence = "They leave two small ones behind", item = "leave two small ones behind" },
    blink = { sentence = "They cannot be seen all the time", item = "cannot be seen all the time" },
    grow = { sentence = "They grow instead of shrinking", item = "grow instead of shrinking" },
    shrink = { sentence = "They shrink twice as fast", item = "shrink twice as fast" },
    hurry = { sentence = "They are in a hurry", item = "are in a hurry" },
  },
  settings = { hunger = "Hunger" },
  choices = { normal = "Normal", strong = "Strong", mild = "Mild" },
  actions = {
    go_x = { negative = "Move left", positive = "Move right", axis = "Move left, right" },
    go_y = { negative = "Move up", positive = "Move down", axis = "Move up, down" },
  },
}
