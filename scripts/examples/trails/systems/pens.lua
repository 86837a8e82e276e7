-- Moves the pens of the flower: each circles a point at a distance that rises and falls three times per turn.
return {
  query = { "orbit", "transform" },
  update = function(q, dt)
    local x, y, o = q.transform.x, q.transform.y, q.orbit
    for i = 1, q.count do
      o.turn[i] = (o.turn[i] + 1.1 * dt) % (2 * math.pi)
      local far = o.far[i] * (0.55 + 0.45 * math.cos(o.turn[i] * 3))
      x[i], y[i] = o.x[i] + far * math.cos(o.turn[i]), o.y[i] + far * math.sin(o.turn[i])
    end
  end,
}
