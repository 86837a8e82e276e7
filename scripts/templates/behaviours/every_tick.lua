-- Runs code every tick.
return {
  fields = {},
  update = function(self, dt)
    self.entity.transform.angle = self.entity.transform.angle + dt
  end,
}
