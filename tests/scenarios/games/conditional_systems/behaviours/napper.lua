return {
  fields = { made = 0, woken = 0, slept = 0, steps = 0 },
  create = function(self) self.made = self.made + 1 end,
  enable = function(self) self.woken = self.woken + 1 end,
  disable = function(self) self.slept = self.slept + 1 end,
  update = function(self) self.steps = self.steps + 1 end,
}
