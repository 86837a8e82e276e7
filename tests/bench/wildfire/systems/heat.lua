return {
  query = { "cell" },
  update = function(q)
    local state, heat = q.cell.state, q.cell.heat
    local width = math.floor(math.sqrt(q.count))
    for i = 1, q.count do
      local burning = 0
      if i % width ~= 1 and state[i - 1] == "burning" then burning = burning + 1 end
      if i % width ~= 0 and state[i + 1] == "burning" then burning = burning + 1 end
      if i > width and state[i - width] == "burning" then burning = burning + 1 end
      if i <= q.count - width and state[i + width] == "burning" then burning = burning + 1 end
      heat[i] = burning
    end
  end,
}
