-- Names of the actions of input.lua, as the options show them.
return {
  actions = {
    up = "Turn up", down = "Turn down", left = "Turn left", right = "Turn right", boost = "Boost",
  },
}
