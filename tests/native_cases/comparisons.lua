-- The compiler compares values in f32 where this gives the same result as in f64. Compares special values with each
-- other, with values between two adjacent f32 values, and with sums that are rounded to f32.
return {
  title = "comparisons in f32 give the same result as in f64",
  ticks = 3,
  modes = { "interpreted", "sse2,now", "LuaJIT", "now" },
  components = [[
local t = shoal.types
return { mote = { x = 0, y = 0, k = t.i32(0), small = t.i32(0), near = t.i32(0), whole = t.i32(0), result = 0 } }]],
  game = [[
local SPECIAL = { 0, -0.0, 1, 1 + 2 ^ -23, 1 - 2 ^ -24, -1, 0.1, 0.3, 1e-9, -1e-9, 2 ^ -149, -2 ^ -149, 1000, 999.99994,
  3e38, -3e38, 1 / 0, -1 / 0, 0 / 0, 16777216, 2147483648 }
local WHOLE = { 0, 1, -1, 1000, 2147483647, -2147483648 }
return { start = function()
  world.spawn_many("mote", #SPECIAL * #SPECIAL * 2, function(q)
    for i = 1, q.count do
      q.mote.x[i], q.mote.y[i] = SPECIAL[i % #SPECIAL + 1], SPECIAL[math.floor(i / #SPECIAL) % #SPECIAL + 1]
      q.mote.k[i] = WHOLE[i % #WHOLE + 1]
    end
  end)
end }]],
  systems = {
    compare = [[
return { query = { "mote" }, update = function(q)
  local c = q.mote
  for i = 1, q.count do
    local x, y, k, small, near, whole = c.x[i], c.y[i], c.k[i], 0, 0, 0
    if x < 0.1 then small = small + 1 end
    if x <= 0.1 then small = small + 2 end
    if 0.1 < x then small = small + 4 end
    if 0.3 <= x then small = small + 8 end
    if x == 0.1 then small = small + 16 end
    if x < 1e-320 then small = small + 32 end
    if -1e-320 < x then small = small + 64 end
    if x < 3.5e38 then small = small + 128 end
    if -3.5e38 < x then small = small + 256 end
    if x <= -3.5e38 then small = small + 512 end
    if x < 1000 + y then near = near + 1 end
    if x <= 1000 + y then near = near + 2 end
    if x == 1 + y then near = near + 4 end
    if 1 + y < x then near = near + 8 end
    if x - y <= 1 then near = near + 16 end
    if x * y < 1 then near = near + 32 end
    if 0 < x * y then near = near + 64 end
    if x * y <= y then near = near + 128 end
    if k < 0.5 then whole = whole + 1 end
    if -0.5 <= k then whole = whole + 2 end
    if k <= 2147483647.5 then whole = whole + 4 end
    if 3e9 < k then whole = whole + 8 end
    if -3e9 < k then whole = whole + 16 end
    if k == 0.5 then whole = whole + 32 end
    if k < 1 / 0 then whole = whole + 64 end
    if -1 / 0 < k then whole = whole + 128 end
    c.small[i], c.near[i], c.whole[i] = small, near, whole
    local v = x
    if y < 0.1 then v = x + y elseif y == 1 then v = x * y + 0.3 elseif y > 1000 then v = x * 0.1 end
    c.result[i] = v
  end
end }]],
  },
  explain = { compare = "native" },
}
