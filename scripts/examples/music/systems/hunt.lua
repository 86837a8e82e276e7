-- Makes the enemy approach for six seconds when the player presses `closer`, and from time to time. The singleton
-- `heat`, 0 … 1, is the enemy's proximity.
return {
  query = { "hunter", "transform" },
  each = function(e, dt)
    local prey, at, hunter = world.find("wanderer").transform, e.transform, e.hunter
    if input.pressed("closer") or world.tick % 900 == 320 then
      hunter.eager = 6
    end
    hunter.eager = math.max(0, hunter.eager - dt)
    local to_x = hunter.eager > 0 and prey.x - 70 or 1120 - 800 * (world.tick % 1800 / 1800)
    local to_y = hunter.eager > 0 and prey.y - 40 or 130 + 40 * math.sin(world.tick * 0.03)
    at.x = at.x + (to_x - at.x) * math.min(1, 1.6 * dt)
    at.y = at.y + (to_y - at.y) * math.min(1, 1.6 * dt)
    at.angle = math.atan2(prey.y - at.y, prey.x - at.x)
    local far = math.sqrt((prey.x - at.x) ^ 2 + (prey.y - at.y) ^ 2)
    world.single.heat.value = math.max(0, math.min(1, 1.15 - far / 420))
  end,
}
