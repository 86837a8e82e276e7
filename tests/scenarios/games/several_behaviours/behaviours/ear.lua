return {
  after = "leg",
  fields = { heard = 0, steps = 0 },
  create = function(self) self.heard = world.random() end,
  update = function(self)
    local leg = self.entity:has("leg") and self.entity.leg
    self.steps = leg and leg.steps or -1 -- the value of this tick, because the leg is updated first
  end,
  on = { poke = function(self, ev) self.heard = self.heard + ev.power end },
}
