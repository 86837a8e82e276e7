return {
  state = { made = 0, woken = 0, slept = 0, steps = 0 },
  create = function(self) self.state.made = self.state.made + 1 end,
  enable = function(self) self.state.woken = self.state.woken + 1 end,
  disable = function(self) self.state.slept = self.state.slept + 1 end,
  update = function(self) self.state.steps = self.state.steps + 1 end,
}
