return {
  after = "movement",
  query = { "data" },
  update = function(q, dt)
    local d = q.data
    for i = 1, q.count do
      local thingy = d.thingy[i] + 1
      d.thingy[i] = thingy >= 1000000 and 0 or thingy
      d.dingy[i] = d.dingy[i] + 0.0001 * dt
      d.mingy[i] = not d.mingy[i]
    end
  end,
}
