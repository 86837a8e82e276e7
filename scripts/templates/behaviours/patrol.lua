-- Walks back and forth around the position at which it was added.
return {
  fields = { speed = 60, range = 120, home = 0, direction = 1 },
  create = function(self)
    self.home = self.entity.transform.x
  end,
  update = function(self, dt)
    local transform = self.entity.transform
    transform.x = transform.x + self.direction * self.speed * dt
    if transform.x > self.home + self.range then
      self.direction = -1
    elseif transform.x < self.home - self.range then
      self.direction = 1
    end
  end,
}
