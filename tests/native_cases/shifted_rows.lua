-- Values at a loop-invariant distance from the current row, x[i - width], are loaded as a vector if all rows of the
-- vector exist. They are loaded one by one at the first and last rows, with a row map, or if the distance is not an
-- integer.
local PAST_THE_END = [[
return { query = { "mote" }, update = function(q)
  local n, a = q.mote.n, q.mote.a
  for i = 1, q.count do n[i] = a[i + world.tick] end
end }]]

return {
  title = "reads at a fixed distance from the current row give the same values in native code as in Lua",
  ticks = 4,
  modes = { "interpreted", "LuaJIT", "sse2,now", "on", "now", "swap2" },
  variants = { { explain = { a_neighbours = "native, no rows in Lua", b_guarded = "native, no rows in Lua",
    c_odd_distances = "native, no rows in Lua", d_map = "native, no rows in Lua",
    e_other_query = "native, no rows in Lua" } }, { systems = { past_the_end = PAST_THE_END }, status = 1 } },
  systems = {
    a_neighbours = [[
return { query = { "mote" }, update = function(q)
  local a, n, flag, c = q.mote.a, q.mote.n, q.mote.flag, q.mote.c
  local width = math.floor(math.sqrt(q.count))
  for i = 1, q.count do
    local sum = 0
    if i > 1 and flag[i - 1] then sum = sum + a[i - 1] end
    if i < q.count and n[i + 1] > 7 then sum = sum + n[i + 1] end
    if i > width then sum = sum + a[i - width] * 2 end
    if i <= q.count - width and flag[i + width] then sum = sum + 0.5 end
    if i > 2 * width + 3 then sum = sum + n[i - width - width - 3] end
    c[i] = sum
  end
end }]],
    b_guarded = [[
return { after = "a_neighbours", query = { "mote" }, update = function(q)
  local a, d = q.mote.a, q.mote.d
  local width = 17
  for i = width + 1, q.count - width do
    d[i] = d[i] % 100 + a[i - width] * 3 + a[i + width] + a[i - 1]
  end
end }]],
    c_odd_distances = [[
local DISTANCES = { 0.5, 2 ^ 60, 0 / 0, -1e9 }
return { after = "b_guarded", query = { "mote" }, update = function(q)
  local a, b, x = q.mote.a, q.mote.b, q.mote.x
  local half, huge, nan, far = DISTANCES[1], DISTANCES[2], DISTANCES[3], DISTANCES[4]
  for i = 1, q.count do
    local k = i + half
    if i > 1 then x[i] = a[k - half - 1] + b[i - 1] end
    if k == i then x[i] = a[k] end
    if i + huge - huge >= 1 and i + huge - huge <= q.count then x[i] = x[i] + a[i + huge - huge] end
    if i + nan == i then x[i] = a[i + nan] end
    if i + far > 0 then x[i] = a[i + far] end
  end
end }]],
    d_map = [[
return { after = "c_odd_distances", query = { "mote", "extra" }, update = function(q)
  local a, v = q.mote.a, q.extra.v
  for i = 1, q.count do
    if i > 4 then v[i] = v[i] % 50 + a[i - 4] end
    if i + 1 <= q.count then v[i] = v[i] + a[i + 1] * 0.5 end
  end
end }]],
    e_other_query = [[
return { after = "d_map", queries = { motes = { "mote" }, extras = { "extra" } }, update = function(q)
  local y, v = q.motes.mote.y, q.extras.extra.v
  for i = 1, q.motes.count do
    if i <= q.extras.count then y[i] = v[i] end
    if i > 1 and i - 1 <= q.extras.count then y[i] = y[i] + v[i - 1] end
  end
end }]],
  },
}
