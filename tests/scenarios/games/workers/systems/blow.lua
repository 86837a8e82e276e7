-- Updates many contiguous rows, with columns of every element size.
return {
  query = { "dust" },
  precision = "single",
  update = function(q, dt)
    local d = q.dust
    for i = 1, q.count do
      d.x[i] = d.x[i] + d.v[i] * dt
      d.far[i] = math.abs(d.x[i]) > 500
      d.v[i] = d.far[i] and -d.v[i] or d.v[i] * 0.9999
      d.turns[i] = d.turns[i] + (d.far[i] and 1 or 0)
      d.energy[i] = d.energy[i] + math.sqrt(math.abs(d.v[i])) * dt
    end
  end,
}
