return {
  fields = { n = 0 },
  create = function(self) self.n = 1 end,
  update = function(self) self.n = self.n + 1 end,
  on = { poke = function(self, ev) self.n = ev.power end },
}
