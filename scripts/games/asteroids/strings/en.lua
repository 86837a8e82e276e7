-- Names of the actions of input.lua, as the options show them.
return {
  actions = {
    turn = "Turn", left = "Turn left", right = "Turn right", thrust = "Thrust", fire = "Fire", warp = "Hyperspace",
    pause = "Pause",
  },
}
