-- A kernel that takes the smaller and the larger of two columns of each type; cases/kernel.lua compares it with a loop.
local m = shoal.math

return {
  query = { "extremes" },
  kernel = function(q, dt)
    local x = q.extremes
    x.low, x.high = m.min(x.a, x.b), m.max(x.a, x.b)
    x.dlow, x.dhigh = m.min(x.da, x.db), m.max(x.da, x.db)
    x.ilow, x.ihigh = m.min(x.i, x.j), m.max(x.i, x.j)
  end,
}
