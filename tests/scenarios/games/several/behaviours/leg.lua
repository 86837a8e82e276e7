return {
  state = { steps = 0, pokes = 0 },
  update = function(self, dt)
    self.state.steps = self.state.steps + 1
    self.entity.transform.x = self.entity.transform.x + dt
  end,
  destroy = function(self) world.single.lost.steps = world.single.lost.steps + self.state.steps end,
  on = { poke = function(self) self.state.pokes = self.state.pokes + 1 end },
}
