local MAX = 1000

return {
  query = { "counted" },
  update = function(q)
    local c = q.counted
    for i = 1, q.count do
      if c.heat[i] > c.limit[i] then
        c.hits[i] = math.min(c.hits[i] + 1, MAX)
      end
    end
  end,
}
