return {
  query = { "cell" },
  update = function(q)
    local cost, distance = q.cell.cost, q.cell.distance
    local width = math.floor(math.sqrt(q.count))
    for i = width + 1, q.count - width do
      local best = math.min(distance[i - 1], distance[i + 1], distance[i - width], distance[i + width]) + cost[i]
      if best < distance[i] then distance[i] = best end
    end
  end,
}
