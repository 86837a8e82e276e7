-- Writes to columns in a loop that is compiled to native code.
return { after = "b_sources", query = { "stat", "source" }, update = function(q, dt)
  local i, u, f, d, vx = q.stat.i, q.stat.u, q.stat.f, q.stat.d, q.stat.v.x
  local n, m = q.source.n, q.source.m
  for k = 1, q.count do
    i[k] = i[k] + math.floor(shoal.math.clamp(n[k], -1e6, 1e6))
    u[k] = shoal.math.clamp(m[k], 0, 255)
    f[k] = f[k] * n[k]
    d[k] = d[k] - m[k] * dt
    vx[k] = n[k] - m[k]
  end
end }
