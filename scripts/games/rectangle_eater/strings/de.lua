-- German strings, including the names on the options screen.
return {
  title = {
    rules = {
      "Friss alles, was kleiner ist: je kleiner, desto besser.",
      "Größere Rechtecke beißen. Zwischen den Gängen",
      "wählst du, wie die Rechtecke sind.",
    },
    keys = "Bewegen: {move}",
    best = "Beste Mahlzeit", food = "Futter", bites = "beißt",
    one = "Ein Esser", two = "Zwei Esser",
  },
  belly = "Bauch", belly_of = "Bauch {n}",
  course = "Gang {n}", course_left = "Gang {n}: {seconds} s",
  worth = "Punkte ×{n}", eat = "Friss!", announce = "{trait}!",
  dishes = {
    title = "Gang {n} gegessen", question = "Wie sollen die Rechtecke von nun an sein?",
    only_shrink = "Bisher schrumpfen sie nur.", so_far = "Bisher:", text = "{trait}   Punkte ×{worth}",
    two = "{a}  ·  {b}",
  },
  over = {
    full = "SATT", starved = "VERHUNGERT", points = { one = "{n} Punkt", other = "{n} Punkte" },
    new_best = "Beste Mahlzeit aller Zeiten!", hint = "Bunte Rechtecke sind Futter. Schwarze mit Zähnen beißen.",
  },
  traits = {
    flee = { sentence = "Sie fliehen vor dir", item = "Sie fliehen vor dir" },
    hunt = { sentence = "Sie verfolgen dich", item = "Sie verfolgen dich" },
    drift = { sentence = "Sie treiben umher", item = "Sie treiben umher" },
    breed = { sentence = "Sie hinterlassen zwei kleine", item = "Sie hinterlassen zwei kleine" },
    blink = { sentence = "Sie sind nicht immer zu sehen", item = "Sie sind nicht immer zu sehen" },
    grow = { sentence = "Sie wachsen, statt zu schrumpfen", item = "Sie wachsen, statt zu schrumpfen" },
    shrink = { sentence = "Sie schrumpfen doppelt so schnell", item = "Sie schrumpfen doppelt so schnell" },
    hurry = { sentence = "Sie haben es eilig", item = "Sie haben es eilig" },
  },
  settings = { hunger = "Hunger" },
  choices = { normal = "Normal", strong = "Stark", mild = "Schwach" },
  actions = {
    go_x = { negative = "Nach links", positive = "Nach rechts", axis = "Nach links, rechts" },
    go_y = { negative = "Nach oben", positive = "Nach unten", axis = "Auf und ab" },
  },
}
