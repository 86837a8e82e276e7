return {
  state = { n = 0 },
  create = function(self) self.state.n = 1 end,
  update = function(self) self.state.n = self.state.n + 1 end,
  on = { poke = function(self, values) self.state.n = tonumber(values.by) or 0 end },
}
