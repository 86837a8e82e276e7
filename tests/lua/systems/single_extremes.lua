-- Minimum and maximum of two columns of each type in single precision; checked by cases/single.lua.
return {
  query = { "extremes" },
  precision = "single",
  update = function(q)
    local x, min, max = q.extremes, shoal.math.min, shoal.math.max
    for i = 1, q.count do
      x.low[i], x.high[i] = min(x.a[i], x.b[i]), max(x.a[i], x.b[i])
      x.dlow[i], x.dhigh[i] = min(x.da[i], x.db[i]), max(x.da[i], x.db[i])
      x.ilow[i], x.ihigh[i] = min(x.i[i], x.j[i]), max(x.i[i], x.j[i])
    end
  end,
}
