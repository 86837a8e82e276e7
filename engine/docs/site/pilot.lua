-- Autopilot of the first game, used for its screenshots and tests: flies to the nearest glow-worm.
return {
  query = { "spark", "mover", "transform" },
  after = "fly",
  each = function(e)
    local at, best, dx, dy = e.transform, 1e9, math.cos(world.time), math.sin(world.time * 0.7)
    for _, worm in ipairs(world.near(at.x, at.y, 3000, "insect")) do
      local x, y = worm.transform.x - at.x, worm.transform.y - at.y
      if x * x + y * y < best then best, dx, dy = x * x + y * y, x, y end
    end
    local length = math.sqrt(dx * dx + dy * dy) + 0.001
    e.mover.vx, e.mover.vy = dx / length * 300, dy / length * 300
  end,
}
