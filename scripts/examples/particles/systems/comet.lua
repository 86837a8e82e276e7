-- Moves the comet across the sky on its orbit.
return {
  query = { "comet", "transform" },
  update = function(q, dt)
    local x, y, angle = q.transform.x, q.transform.y, q.comet.angle
    for i = 1, q.count do
      angle[i] = (angle[i] + 0.9 * dt) % (2 * math.pi)
      x[i] = 640 + 470 * math.cos(angle[i])
      y[i] = 210 + 105 * math.sin(angle[i] * 2)
    end
  end,
}
