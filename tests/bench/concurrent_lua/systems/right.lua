-- Iterates the logistic map four times.
return {
  query = { "right" },
  update = function(q)
    local x = q.right.x
    for i = 1, q.count do
      local v = x[i]
      v = 3.75 * v * (1 - v)
      v = 3.75 * v * (1 - v)
      v = 3.75 * v * (1 - v)
      x[i] = 3.75 * v * (1 - v)
    end
  end,
}
