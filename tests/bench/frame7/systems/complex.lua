local advance = require("lib.rules").advance
local floor = math.floor

return {
  after = "data_stream",
  query = { "position", "velocity", "data" },
  update = function(q)
    local x, y, vx, vy, thingy = q.position.x, q.position.y, q.velocity.x, q.velocity.y, q.data.thingy
    local s0, s1, s2, s3 = q.data.s0, q.data.s1, q.data.s2, q.data.s3
    for i = 1, q.count do
      local n = thingy[i]
      if floor(n / 10) * 10 == n then -- n % 10 == 0, but cheaper in floats
        local wide = advance(s0, s1, s2, s3, i) % 2 ^ 32 % 17 - 7
        local narrow = advance(s0, s1, s2, s3, i) % 2 ^ 32 % 6
        if x[i] > y[i] then
          vx[i], vy[i] = wide, narrow
        else
          vx[i], vy[i] = narrow, wide
        end
      end
    end
  end,
}
