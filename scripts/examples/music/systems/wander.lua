-- Makes the wanderer walk back and forth. On input, spawns a star in front of the wanderer.
local LEFT, RIGHT = 130, 1150

return {
  query = { "wanderer", "transform" },
  each = function(e, dt)
    local at, wanderer = e.transform, e.wanderer
    at.x = at.x + wanderer.speed * dt
    at.y = 330 + 10 * math.sin(world.tick * 0.16)
    if at.x > RIGHT or at.x < LEFT then
      wanderer.speed = -wanderer.speed
    end
    if input.pressed("star") then
      world.spawn("star", { transform = { x = at.x + (wanderer.speed > 0 and 90 or -90), y = 330 } })
    end
  end,
}
