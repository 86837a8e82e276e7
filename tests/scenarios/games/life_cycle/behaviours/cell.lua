return {
  fields = { luck = 0 },
  create = function(self) self.luck = world.random(100) end,
  update = function(self) self.entity.transform.x = self.entity.transform.x + self.luck / 100 end,
  destroy = function(self)
    local tally = world.single.tally
    tally.sum = tally.sum + self.luck + self.entity.transform.x
  end,
  on = {
    grown = function(self, ev)
      self.luck = self.luck + ev.ticks
      world.single.tally.heard = world.single.tally.heard + 1
    end,
  },
}
