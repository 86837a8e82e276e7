-- Names of the actions of input.lua, as the options show them.
return {
  actions = {
    move = { negative = "Move left", positive = "Move right", axis = "Move left, right" },
    fire = "Fire",
  },
}
