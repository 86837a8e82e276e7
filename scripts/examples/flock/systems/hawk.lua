-- Moves the hawk in a figure of eight, facing its direction of movement.
return {
  query = { "transform", "hawk" },
  update = function(q)
    local t = world.time * 0.55
    for i = 1, q.count do
      local x, y = 640 + 430 * math.sin(t), 360 + 220 * math.sin(2 * t + 0.6)
      q.transform.angle[i] = math.atan2(2 * 220 * math.cos(2 * t + 0.6), 430 * math.cos(t))
      q.transform.x[i], q.transform.y[i] = x, y
    end
  end,
}
