-- One row in ten draws two random numbers from its own stream, whose products stay below 2^53.
local function next_number(v)
  return (v * 16807) % 2147483647
end

return {
  query = { "thinker" },
  update = function(q)
    local c = q.thinker
    for i = 1, q.count do
      if c.thought[i] % 10 == 0 then
        local one = next_number(c.noise[i])
        local two = next_number(one)
        local wide, narrow = one % 17 - 7, two % 6
        c.noise[i] = two
        if c.x[i] > c.y[i] then
          c.vx[i], c.vy[i] = wide, narrow
        else
          c.vx[i], c.vy[i] = narrow, wide
        end
      end
    end
  end,
}
