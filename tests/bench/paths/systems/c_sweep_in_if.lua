return {
  query = { "cell" },
  update = function(q)
    local cost, distance = q.cell.cost, q.cell.again
    local width = math.floor(math.sqrt(q.count))
    local last = q.count - width
    for i = 1, q.count do
      if i > width and i <= last then
        local best = math.min(distance[i - 1], distance[i + 1], distance[i - width], distance[i + width]) + cost[i]
        if best < distance[i] then distance[i] = best end
      end
    end
  end,
}
