-- Inner loops in single precision, which rows execute together. The number of iterations is limited for each row and
-- outermost loop, so that the limit does not depend on the number of rows per vector or per part.
local function spin(start, stop, step)
  return {
    status = 1,
    stops_after = 1,
    options = "--strict",
    messages = { "systems/spin.lua:5: row 3, entity(300:0 mote): an inner loop with too many iterations" },
    systems = { spin = ([[
return { query = { "mote" }, precision = "single", update = function(q, dt)
  local start, stop, step = START, STOP, STEP
  for i = 1, q.count do
    if q.mote.n[i] >= 22 then
      for k = start, stop, step do q.mote.x[i] = q.mote.x[i] + dt end
    end
  end
end }]]):gsub("START", start):gsub("STOP", stop):gsub("STEP", step) },
  }
end
return {
  title = "single-precision inner loops give the same results with vectors of any width, and endless loops are errors",
  ticks = 2,
  modes = { "LuaJIT", "sse2,now", "now,split", "now" },
  variants = {
    spin("1", "1e18", "1"), spin("1", "2", "world.tick * 0"), spin("-2", "-1e9", "-1"),
    spin("2 ^ 53", "2 ^ 53 + 9", "1"),
    {
      systems = {
        long = [[
return { query = { "mote" }, precision = "single", update = function(q)
  local x, y, n = q.mote.x, q.mote.y, q.mote.n
  for i = 1, q.count do
    local sum = 0
    for k = 1, 40000 do -- 12 million iterations for all rows
      if k % n[i] == 0 then sum = sum + y[i] * 0.5 end
    end
    x[i] = sum
  end
end }]],
        pairs = [[
return { after = "long", query = { "mote" }, precision = "single", update = function(q, dt)
  local x, y, c = q.mote.x, q.mote.y, q.mote.position.x
  for i = 1, q.count do
    local total, last = 0, 0
    for k = 1, q.count, 3 do
      local d = x[k] - y[i]
      if d > 0 and q.mote.flag[k] then
        for j = k, 1, -50 do total, last = total + d * y[j] / 16, j end
      end
    end
    c[i] = total * dt + last
  end
end }]],
      },
      explain = { long = "native", pairs = "native" },
    },
  },
}
