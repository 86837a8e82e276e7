return {
  query = { "cell" },
  update = function(q)
    local wall, distance, count = q.cell.wall, q.cell.distance, q.count
    local width = math.floor(math.sqrt(count))
    for i = 1, q.count do distance[i] = -1 end
    local first = world.tick * 997 % count + 1
    local queue, head = { first }, 1
    distance[first] = 0
    while head <= #queue do
      local c = queue[head]
      head = head + 1
      local d, x = distance[c] + 1, (c - 1) % width
      if x > 0 and distance[c - 1] < 0 and not wall[c - 1] then
        distance[c - 1] = d
        queue[#queue + 1] = c - 1
      end
      if x < width - 1 and distance[c + 1] < 0 and not wall[c + 1] then
        distance[c + 1] = d
        queue[#queue + 1] = c + 1
      end
      if c > width and distance[c - width] < 0 and not wall[c - width] then
        distance[c - width] = d
        queue[#queue + 1] = c - width
      end
      if c <= count - width and distance[c + width] < 0 and not wall[c + width] then
        distance[c + width] = d
        queue[#queue + 1] = c + width
      end
    end
  end,
}
