-- Reads all rows with a query without pairs.
return {
  query = { "weight" },
  update = function(q)
    local sum, value = 0, q.weight.value
    for i = 1, q.count do
      sum = sum + value[i]
    end
    world.single.sums.all = sum
  end,
}
