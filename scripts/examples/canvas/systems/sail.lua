-- The boat follows the input or, without input, the wind, which turns near both ends of the lake.
return {
  query = { "sail", "transform" },
  each = function(e, dt)
    local sail, at, wish = e.sail, e.transform, input.axis("steer")
    if at.x > 1350 then sail.wind = -1 elseif at.x < -1350 then sail.wind = 1 end
    local aim = wish ~= 0 and wish * 170 or sail.wind * 60
    sail.speed = sail.speed + (aim - sail.speed) * math.min(1, dt * 1.2)
    at.x = math.max(-1600, math.min(1600, at.x + sail.speed * dt))
    at.scale_x = at.scale_x + ((sail.speed < 0 and -1 or 1) - at.scale_x) * math.min(1, dt * 4)
    at.angle = -0.0004 * sail.speed
  end,
}
