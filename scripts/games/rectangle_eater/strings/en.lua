-- Names of the actions of input.lua, as the options show them.
return {
  actions = {
    go_x = { negative = "Move left", positive = "Move right", axis = "Move left, right" },
    go_y = { negative = "Move up", positive = "Move down", axis = "Move up, down" },
  },
}
