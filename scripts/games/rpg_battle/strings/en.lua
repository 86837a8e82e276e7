-- Names of the actions of input.lua, as the options show them.
return {
  actions = {
    next = "Next target", last = "Previous target", point = "Choose target", hold = "Hold position",
    retreat = "Retreat",
  },
}
