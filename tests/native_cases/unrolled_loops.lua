-- Inner loops with constant bounds and at most 8 iterations are unrolled, unless the system
-- also has an inner loop that cannot be unrolled.
return {
  title = "inner loops with constant bounds run natively",
  ticks = 4,
  modes = { "interpreted", "LuaJIT", "sse2,now", "on", "now" },
  systems = {
    nearest = [[
local FOOD, COUNT = { { 1, 2 }, { 9, 1.5 }, { 5, -6 }, { 0, 6 } }, 4
local function find(x, y)
  local bx, by, best = 0, 0, 1e9
  for k = 1, COUNT do
    local dx, dy = FOOD[k][1] - x, FOOD[k][2] - y
    local d = dx * dx + dy * dy
    if d < best then bx, by, best = dx, dy, d end
    if d < 3 then break end
  end
  return bx, by, best
end
return { query = { "mote" }, each = function(e, dt)
  local m = e.mote
  local bx, by, best = find(m.a, m.b)
  if best < 2 then m.n = m.n % 1000 + 1 else m.c = m.c + bx * dt m.d = m.d + by / math.sqrt(best) end
end }]],
    bounds = [[
return { after = "nearest", query = { "mote" }, update = function(q)
  local c, d, n = q.mote.c, q.mote.d, q.mote.n
  for i = 1, q.count do
    for k = 3, -2, -1.5 do d[i] = d[i] + k * c[i] end
    for k = -0.5, 0.5, 0.25 do
      if k == 0 then goto continue end
      c[i] = c[i] * 0.5 + 1 / k
      ::continue::
    end
    for k = 2, 1 do n[i] = 7 end
    for row = 1, 3 do
      for column = row, 4, 2 do n[i] = (n[i] * 3 + row * column) % 1000 end
    end
    local zero = 0
    for k = 1, 3 do zero = -zero if 1 / zero < 0 then d[i] = d[i] + k end end
  end
end }]],
    exits = [[
return { after = "bounds", query = { "mote" }, each = function(e)
  local m = e.mote
  for k = 1, 4 do
    m.c = m.c + k
    if m.a == k and m.b == 3 then world.emit("hit", { n = m.c }) end
    if m.b == 2 * k then break end
  end
end }]],
    remaining = [[
return { after = "exits", query = { "mote" }, each = function(e)
  local m = e.mote
  for k = 1, 4 do
    for j = k, m.a % 5 do m.d = m.d + j end
  end
  for k = 1, 9 do m.c = (m.c * 1.5 + k) % 10 end
end }]],
    lengths = [[
local WEIGHTS = { 0.5, 0.25, 2 }
return { after = "remaining", query = { "mote" }, each = function(e)
  local m = e.mote
  for k = 1, #WEIGHTS do m.d = m.d * WEIGHTS[k] + k end
  if m.n % 100 == 7 then world.emit("hit", { n = #WEIGHTS }) end
end }]],
  },
  explain = { nearest = "native, no rows in Lua", bounds = "native, no rows in Lua", exits = "native, some rows in Lua",
    remaining = "native, no rows in Lua", lengths = "native, no rows in Lua" },
}
