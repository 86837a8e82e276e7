-- Names of the actions of input.lua, as the options show them.
return {
  actions = {
    go_x = { negative = "Ride left", positive = "Ride right", axis = "Ride left, right" },
    go_y = { negative = "Ride up", positive = "Ride down", axis = "Ride up, down" },
    dash = "Ram",
  },
}
