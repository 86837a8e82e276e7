local m = shoal.math

return {
  after = "movement",
  query = { "data" },
  kernel = function(q, dt)
    local thingy = q.data.thingy + 1
    q.data.thingy = m.select(m.ge(thingy, 1000000), 0, thingy)
    q.data.dingy = q.data.dingy + 0.0001 * dt
    q.data.mingy = m.not_(q.data.mingy)
  end,
}
