-- The German strings.
return {
  title = { keys = "{walk}: gehen   {use}: graben, reden, handeln", demo = "Demo: {key} drücken" },
  places = { town = "Der Weiler", mine = "Die Mine" },
  folk = { smith = "den Schmied" },
  prompts = { dig = "{key}: graben", talk = "{key}: reden", sell = "{key}: verkaufen", trade = "{key}: handeln" },
  smith = {
    pays = { one = "Gute Ware! Hier ist {n} Münze.", other = "Gute Ware! Hier sind {n} Münzen." },
    price = "Bring mir Erz und Gold aus der Mine. Eine bessere Hacke kostet {n} Münzen.",
    pick = "Eine neue Hacke! Sie gräbt schneller.", best = "Eine bessere Hacke kann ich nicht schmieden.",
  },
  elder = {
    advice = "Willkommen! Grab in der Mine hinter dem Bogen. Der Schmied zahlt für Erz und Gold.",
    ore = { one = "Ich weiß noch: {time} hast du {n} Erz an {name} verkauft.",
      other = "Ich weiß noch: {time} hast du {n} Erze an {name} verkauft." },
    gold = { one = "Ich weiß noch: {time} hast du {n} Goldklumpen an {name} verkauft.",
      other = "Ich weiß noch: {time} hast du {n} Goldklumpen an {name} verkauft." },
    coins = { one = "Ich weiß noch: {time} ging {n} Münze von dir an {name}.",
      other = "Ich weiß noch: {time} gingen {n} Münzen von dir an {name}." },
  },
  when = { today = "heute", yesterday = "gestern", days = { one = "vor {n} Tag", other = "vor {n} Tagen" },
    last_week = "letzte Woche", long_ago = "vor langer Zeit" },
  deal = { asks = "{name} möchte handeln", done = "Erledigt!", agreed = "einverstanden", thinks = "nicht einig",
    keys = "{use}: einverstanden   {back}: abbrechen" },
  gift = { coins = { one = "Geschenkt: {n} Münze!", other = "Geschenkt: {n} Münzen!" },
    gold = { one = "Geschenkt: {n} Goldklumpen!", other = "Geschenkt: {n} Goldklumpen!" },
    ore = { one = "Geschenkt: {n} Erz!", other = "Geschenkt: {n} Erze!" } },
  actions = {
    go_x = { negative = "Nach links", positive = "Nach rechts", axis = "Links, rechts" },
    go_y = { negative = "Nach oben", positive = "Nach unten", axis = "Auf und ab" },
    use = "Graben, reden, handeln", back = "Handel abbrechen", pause = { pause = "Menü" },
  },
}
