local DEAD, ALIVE, WELL = 1, 0, 2

return {
  query = { "vital" },
  update = function(q)
    local c = q.vital
    for i = 1, q.count do
      if c.hp[i] <= 0 and c.status[i] ~= DEAD then
        c.hp[i], c.status[i] = 0, DEAD
      elseif c.status[i] == DEAD and c.hp[i] == 0 then
        c.hp[i], c.status[i] = c.max[i], ALIVE
      else
        c.status[i] = WELL
      end
    end
  end,
}
