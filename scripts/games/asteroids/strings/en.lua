-- English strings, including the names on the options screen. The vector font (lib/strokes.lua) draws capitals.
return {
  title = {
    turn = "Turn", thrust = "Thrust", fire = "Fire", hyperspace = "Hyperspace", pause = "Pause",
  },
  wave = "Wave {n}", mother_ship = "A mother ship",
  new_best = "New best", demo = "Demo - press fire", extra_ship = "EXTRA SHIP",
  over = { new_best = "New best score!", again = "{key}: play again", title = "{key}: title" },
  actions = {
    turn = "Turn", left = "Turn left", right = "Turn right", thrust = "Thrust", fire = "Fire", warp = "Hyperspace",
    pause = "Pause",
  },
}
