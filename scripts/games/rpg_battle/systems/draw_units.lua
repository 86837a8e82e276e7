-- Draws the landscape, shadows, bodies, a ring around the player's target, and health bars. Parts draw themselves.
local parts, landscape = require "lib.parts", require "lib.landscape"
return {
  phase = "render",
  query = { "unit", "health", "pose", "transform" },
  update = function(q)
    local match = world.single.match
    landscape.draw()
    for i = 1, q.count do
      local e, x, y, side = q.entity[i], q.transform.x[i], q.transform.y[i], q.unit.side[i]
      local share, pose = q.health.points[i] / q.health.max[i], q.pose
      draw.layer(99)
      draw.colour(0.12, 0.14, 0.05, 0.35)
      draw.polygon { x - 20, y, x - 14, y - 5, x + 14, y - 5, x + 20, y, x + 14, y + 5, x - 14, y + 5 }
      draw.colour("#ffe08a")
      local is_target = e == match.focus and match.phase == "battle"
      if is_target then draw.circle(x, y, 26 + 2 * math.sin(world.tick * 0.2), false, 3) end
      parts.draw(e, "body")
      parts.draw(e, side > 0 and "left" or "right")
      local top = y - pose.height[i] - 74 * pose.size[i]
      draw.layer(640)
      draw.colour("#3b2616")
      if share < 1 then draw.rect(x - 18, top, 36, 6) end
      draw.colour(side > 0 and "#6fd08a" or "#e0604a")
      if share < 1 then draw.rect(x - 17, top + 1, 34 * share, 4) end
    end
  end,
}
