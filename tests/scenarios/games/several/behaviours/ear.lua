return {
  after = "behaviours/leg.lua",
  state = { heard = 0, steps = 0 },
  create = function(self) self.state.heard = world.random() end,
  update = function(self)
    local leg = self.entity:has("behaviour:leg") and self.entity["behaviour:leg"]
    self.state.steps = leg and leg.steps or -1 -- of this tick, for the leg comes first
  end,
  on = { poke = function(self, ev) self.state.heard = self.state.heard + ev.power end },
}
