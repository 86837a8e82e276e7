-- French strings, including the names on the options screen.
return {
  title = {
    rules = {
      "Mangez tout ce qui est plus petit que vous.",
      "Les grands rectangles mordent. Entre les plats,",
      "vous choisissez comment sont les rectangles.",
    },
    keys = "Bouger : {move}",
    best = "Meilleur repas", food = "se mange", bites = "mord",
    one = "Un mangeur", two = "Deux mangeurs",
  },
  belly = "Ventre", belly_of = "Ventre {n}",
  course = "Plat {n}", course_left = "Plat {n} : {seconds} s",
  worth = "points ×{n}", eat = "Mangez !", announce = "{trait} !",
  dishes = {
    title = "Plat {n} terminé", question = "Comment seront désormais les rectangles ?",
    only_shrink = "Pour l'instant, ils ne font que rétrécir.", so_far = "Pour l'instant, ils",
    text = "{trait}   points ×{worth}",
    two = "{a}  ·  {b}",
  },
  over = {
    full = "REPU", starved = "MORT DE FAIM", points = { one = "{n} point", other = "{n} points" },
    new_best = "Meilleur repas de tous les temps !",
    hint = "Les rectangles colorés se mangent. Les noirs à dents mordent.",
  },
  traits = {
    flee = { sentence = "Ils vous fuient", item = "vous fuient" },
    hunt = { sentence = "Ils vous poursuivent", item = "vous poursuivent" },
    drift = { sentence = "Ils dérivent", item = "dérivent" },
    breed = { sentence = "Ils laissent deux petits derrière eux", item = "laissent deux petits derrière eux" },
    blink = { sentence = "Ils ne sont pas toujours visibles", item = "ne sont pas toujours visibles" },
    grow = { sentence = "Ils grandissent au lieu de rétrécir", item = "grandissent au lieu de rétrécir" },
    shrink = { sentence = "Ils rétrécissent deux fois plus vite", item = "rétrécissent deux fois plus vite" },
    hurry = { sentence = "Ils sont pressés", item = "sont pressés" },
  },
  settings = { hunger = "Faim" },
  choices = { normal = "Normale", strong = "Forte", mild = "Faible" },
  actions = {
    go_x = { negative = "Aller à gauche", positive = "Aller à droite", axis = "Gauche et droite" },
    go_y = { negative = "Monter", positive = "Descendre", axis = "Monter, descendre" },
  },
}
