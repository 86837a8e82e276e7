return {
  state = { luck = 0 },
  create = function(self) self.state.luck = world.random(100) end,
  update = function(self) self.entity.transform.x = self.entity.transform.x + self.state.luck / 100 end,
  destroy = function(self)
    local tally = world.single.tally
    tally.sum = tally.sum + self.state.luck + self.entity.transform.x
  end,
  on = {
    grown = function(self, ev)
      self.state.luck = self.state.luck + ev.ticks
      world.single.tally.heard = world.single.tally.heard + 1
    end,
  },
}
