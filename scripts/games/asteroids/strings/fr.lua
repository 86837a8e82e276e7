-- French strings, including the names on the options screen. The vector font (lib/strokes.lua) draws capitals.
return {
  title = {
    turn = "Tourner", thrust = "Accélérer", fire = "Tirer", hyperspace = "Hyperespace", pause = "Pause",
  },
  wave = "Vague {n}", mother_ship = "Un vaisseau mère",
  new_best = "Nouveau record", demo = "Démo - tirez pour jouer", extra_ship = "VAISSEAU BONUS",
  over = { new_best = "Nouveau record !", again = "{key} : rejouer", title = "{key} : titre" },
  actions = {
    turn = "Tourner", left = "Tourner à gauche", right = "Tourner à droite", thrust = "Accélérer", fire = "Tirer",
    warp = "Hyperespace", pause = "Pause",
  },
}
