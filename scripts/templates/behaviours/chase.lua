-- Moves towards the entity with the name in `target`.
return {
  fields = { speed = 60, target = "player" },
  update = function(self, dt)
    local target = world.find(self.target)
    if not target then return end
    local from, to = self.entity.transform, target.transform
    local dx, dy = to.x - from.x, to.y - from.y
    local distance = math.sqrt(dx * dx + dy * dy)
    if distance > self.speed * dt then
      from.x = from.x + dx / distance * self.speed * dt
      from.y = from.y + dy / distance * self.speed * dt
    end
  end,
}
