return {
  query = { "position", "velocity" },
  update = function(q, dt)
    local p, v = q.position, q.velocity
    for i = 1, q.count do
      p.x[i] = p.x[i] + v.x[i] * dt
      p.y[i] = p.y[i] + v.y[i] * dt
    end
  end,
}
