return {
  after = "movement",
  query = { "data" },
  precision = "single",
  update = function(q, dt)
    local data = q.data
    for i = 1, q.count do
      local thingy = data.thingy[i] + 1
      data.thingy[i] = thingy >= 1000000 and 0 or thingy
      data.dingy[i] = data.dingy[i] + 0.0001 * dt
      data.mingy[i] = not data.mingy[i]
    end
  end,
}
