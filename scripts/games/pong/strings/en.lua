-- Names of the actions of input.lua, as the options show them.
return {
  actions = {
    move = { negative = "Move up", positive = "Move down", axis = "Move up, down" },
  },
}
