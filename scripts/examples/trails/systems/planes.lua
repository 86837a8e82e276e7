-- Moves the planes along a figure of eight. Each faces its direction of movement.
return {
  query = { "loop", "transform" },
  update = function(q, dt)
    local x, y, angle, along = q.transform.x, q.transform.y, q.transform.angle, q.loop.along
    for i = 1, q.count do
      along[i] = (along[i] + 1.5 * dt) % (2 * math.pi)
      x[i], y[i] = 390 + 250 * math.sin(along[i]), 270 + 150 * math.sin(2 * along[i])
      angle[i] = math.atan2(300 * math.cos(2 * along[i]), 250 * math.cos(along[i]))
    end
  end,
}
