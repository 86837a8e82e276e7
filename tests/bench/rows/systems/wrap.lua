local WIDTH, HEIGHT = 1000, 700

return {
  query = { "wrapped" },
  update = function(q)
    local c = q.wrapped
    for i = 1, q.count do
      local margin = c.margin[i]
      if c.x[i] < -margin then
        c.x[i] = c.x[i] + WIDTH + 2 * margin
      elseif c.x[i] > WIDTH + margin then
        c.x[i] = c.x[i] - WIDTH - 2 * margin
      end
      if c.y[i] < -margin then
        c.y[i] = c.y[i] + HEIGHT + 2 * margin
      elseif c.y[i] > HEIGHT + margin then
        c.y[i] = c.y[i] - HEIGHT - 2 * margin
      end
    end
  end,
}
