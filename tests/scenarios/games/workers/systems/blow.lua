local m = shoal.math

-- Many rows in place, columns of every size.
return {
  query = { "dust" },
  kernel = function(q, dt)
    local d = q.dust
    d.x = d.x + d.v * dt
    d.far = m.gt(m.abs(d.x), 500)
    d.v = m.select(d.far, -d.v, d.v * 0.9999)
    d.turns = d.turns + m.select(d.far, 1, 0)
    d.energy = d.energy + m.sqrt(m.abs(d.v)) * dt
  end,
}
