-- The German strings.
return {
  title = {
    press = "{key} drücken",
    keys = "{walk}: gehen   {strike}: angreifen, reden",
    more_keys = "{cast}: Feuer werfen   {pause}: Pause",
    best = "Bestzeit {time}",
    demo = "Demo: {key} drücken",
  },
  dead = { title = "Dein Licht erlischt", again = "doch eine Glut bleibt: {key} drücken" },
  won = { title = "Das Licht ist heimgekehrt.", time = "Deine Zeit {time}", best = "Bestzeit {time}" },
  menu = {
    new_game = "Neues Spiel", load_game = "Spiel laden", options = "Optionen", quit = "Beenden",
    paused = "Pause", resume = "Weiter", save_or_load = "Sichern oder laden", to_title = "Zum Titel",
    saved_games = "Spielstände", slot = "Platz", save = "Sichern", load = "Laden", delete = "Löschen",
    back = "Zurück", empty = "leer", no_picture = "noch kein Bild", damaged = "lässt sich nicht laden",
    really = "Sicher?",
  },
  shoal = { access = "Bedienhilfen" }, -- an abbreviation that fits with the largest text size
  rooms = {
    yard = "Der Kirchhof", hall = "Die Krypta", ossuary = "Das Beinhaus", cistern = "Die Zisterne",
    throne = "Die Halle des Löschers",
  },
  keeper = {
    name = "Hüter",
    opening = {
      "Die Lampe ist aus. Hundert Jahre lang hat sie gebrannt.",
      "Der Löscher ist aus der Krypta gekommen und hat die Flamme geraubt.",
      "Nimm meine Laterne und mein Schwert. Bring sie uns zurück.",
    },
    crypt = "Die Krypta liegt unter der Kapelle. An ihrem östlichen Ende liegt eine Glut.",
    fire = "Feuer weckt Feuer: Versuch es mit den Feuerschalen in der Krypta.",
    thanks = "Sie brennt! Du hast uns das Licht zurückgebracht.",
  },
  snuffer = { name = "Löscher", who = "Wer bringt Licht in meine Halle?", put_out = "Ich werde es löschen!" },
  found = {
    ember = "Du hast eine Glut gefunden: Mit {key} wirfst du Feuer. Die kalten Feuerschalen warten darauf.",
    key = "Ein schwerer Messingschlüssel. Er riecht nach Rauch.",
    flame = "Die Flamme ist frei.",
    locked = "Verschlossen. Dahinter atmet etwas.",
  },
  prompts = { talk = "{key}: reden", open = "{key}: öffnen" },
  actions = {
    go_x = { negative = "Nach links", positive = "Nach rechts", axis = "Links, rechts" },
    go_y = { negative = "Nach oben", positive = "Nach unten", axis = "Auf und ab" },
    strike = "Angreifen", cast = "Feuer werfen", pause = { pause = "Menü" },
  },
}
