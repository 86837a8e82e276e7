-- A cat sleeps until it is rested, then hunts the nearest mouse until it is tired. `render` draws its face and mood.
return {
  fields = { mood = shoal.types.enum { "sleeps", "hunts" }, rest = 0, doc = "rest: seconds of hunting that are in it" },
  create = function(self) self.rest = world.random() * 2 end,
  update = function(self, dt)
    local at = self.entity.transform
    if self.mood == "sleeps" then
      self.rest = self.rest + dt
      if self.rest > 4 then self.mood = "hunts" end
      return
    end
    self.rest = self.rest - dt * 0.8
    local prey, min_far = nil, 1e9
    for mouse in world.each { "mouse", "transform" } do
      local x, y = mouse.transform.x - at.x, mouse.transform.y - at.y
      local far = x * x + y * y
      if far < min_far and mouse.mouse.dazed <= 0 then prey, min_far = mouse, far end
    end
    if not prey or self.rest <= 0 then
      self.mood = "sleeps"
      return
    end
    local far = math.sqrt(min_far) + 0.001
    at.x = at.x + (prey.transform.x - at.x) / far * 170 * dt
    at.y = at.y + (prey.transform.y - at.y) / far * 170 * dt
    if far < 24 then prey:send("caught") end
  end,
  render = function(self)
    local at, sleeps = self.entity.transform, self.mood == "sleeps"
    draw.layer(6)
    draw.colour(1, 1, 1, 0.85)
    local lift = sleeps and 3 * math.sin(world.tick * 0.06) or 0
    draw.text(sleeps and "z z z" or "!", at.x, at.y - 58 - lift, 20, "center")
    for side = -1, 1, 2 do
      draw.colour(0.06, 0.05, 0.08)
      if sleeps then draw.line(at.x + side * 8 - 4, at.y - 2, at.x + side * 8 + 4, at.y - 2, 2)
      else draw.circle(at.x + side * 8, at.y - 3, 3.5, true) end
    end
  end,
}
