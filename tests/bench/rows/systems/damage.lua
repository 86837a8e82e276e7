return {
  query = { "struck" },
  update = function(q)
    local c = q.struck
    for i = 1, q.count do
      local total = c.attack[i] - c.defence[i]
      if c.hp[i] > 0 and total > 0 then
        c.hp[i] = math.max(c.hp[i] - total, 0)
      end
    end
  end,
}
