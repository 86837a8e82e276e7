-- Iterates over the columns of many entities, which is fastest.
return {
  query = { "transform" },
  update = function(q, dt)
    local angle = q.transform.angle
    for i = 1, q.count do
      angle[i] = angle[i] + dt
    end
  end,
}
