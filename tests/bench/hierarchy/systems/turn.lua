return {
  query = { "transform", "spin" },
  update = function(q, dt)
    local angle, rate, x = q.transform.angle, q.spin.rate, q.transform.x
    for i = 1, q.count do
      angle[i] = angle[i] + rate[i] * dt
      x[i] = x[i] + dt
    end
  end,
}
