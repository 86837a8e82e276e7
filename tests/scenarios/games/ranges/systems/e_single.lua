return { after = "d_each", query = { "stat", "source" }, precision = "single", update = function(q, dt)
  local f, vx = q.stat.f, q.stat.v.x
  for i = 1, q.count do
    f[i] = f[i] / (q.source.n[i] - 0.1)
    vx[i] = vx[i] + q.source.m[i] * dt
  end
end }
