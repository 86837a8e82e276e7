-- German strings, including the names on the options screen. The vector font (lib/strokes.lua) draws capitals.
return {
  title = {
    turn = "Drehen", thrust = "Schub", fire = "Feuern", hyperspace = "Hyperraum", pause = "Pause",
  },
  wave = "Welle {n}", mother_ship = "Ein Mutterschiff",
  new_best = "Neuer Rekord", demo = "Demo - Feuern: spielen", extra_ship = "EXTRASCHIFF",
  over = { new_best = "Neuer Rekord!", again = "{key}: noch einmal", title = "{key}: Titel" },
  actions = {
    turn = "Drehen", left = "Nach links drehen", right = "Nach rechts drehen", thrust = "Schub", fire = "Feuern",
    warp = "Hyperraum", pause = "Pause",
  },
}
