-- Rotates the arms that carry the planets and moons. Children move along with their parents.
return {
  query = { "transform", "turning" },
  precision = "single",
  update = function(q, dt)
    local angle, rate = q.transform.angle, q.turning.rate
    for i = 1, q.count do
      angle[i] = angle[i] + rate[i] * dt
    end
  end,
}
