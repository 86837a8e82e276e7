return {
  fields = { steps = 0, pokes = 0 },
  update = function(self, dt)
    self.steps = self.steps + 1
    self.entity.transform.x = self.entity.transform.x + dt
  end,
  destroy = function(self) world.single.lost.steps = world.single.lost.steps + self.steps end,
  stride = function(self, n) return self.steps * n end,
  on = { poke = function(self) self.pokes = self.pokes + 1 end },
}
