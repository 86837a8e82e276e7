-- Loops whose rows read what the previous row has written: machine code passes the value from row to row.
return {
  title = "rows of a native loop read the values that the previous row has written",
  ticks = 5,
  modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "now,split", "on", "now,swap1", "now,swap2", "now" },
  systems = {
    -- Loops over all rows read a row that need not exist, so each row checks its number.
    all = [[
return { query = { "mote" }, update = function(q)
  local a, b, x, y, n, flag, kind = q.mote.a, q.mote.b, q.mote.x, q.mote.y, q.mote.n, q.mote.flag, q.mote.kind
  for i = 1, q.count do
    x[i] = (i > 1 and x[i - 1] or 0) * 0.75 + y[i]
  end
  for i = 2, q.count do
    if b[i] > 1 then n[i] = (n[i - 1] * 3 + n[i]) % 1000 end
    if n[i] > 500 then flag[i] = not flag[i - 1] end
    kind[i] = kind[i - 1] == "x" and "y" or flag[i] and "z" or "x"
    if a[i] == 3 then a[i] = a[i - 1] / b[i] end -- some results are infinity or NaN
  end
end }]],
    sweep = [[
return { after = "all", query = { "mote" }, update = function(q)
  local c, d, w = q.mote.c, q.mote.d, 4 + world.tick % 3
  for i = w + 1, q.count - w do
    local best = math.min(c[i - 1], c[i + 1], c[i - w], c[i + w]) + q.mote.b[i]
    if best <= c[i] + 1 then c[i] = best end
  end
  for i = 3, q.count, 1 + world.tick % 3 do
    d[i] = d[i - 1] + d[i - 2] * 0.5 + i
    if d[i] > 100 then d[i] = d[i - 1] - d[i] end
  end
end }]],
    -- The next row after a side exit reads what Lua has written.
    exits = [[
return { after = "sweep", query = { "mote" }, update = function(q)
  local y, small = q.mote.y, q.mote.small
  for i = 2, q.count do
    y[i] = y[i] + y[i - 1] * 0.5
    if q.mote.b[i] == 2 and i % 7 == 0 then world.emit("hit", { n = i }) end
    small[i] = small[i - 1] + 1 -- some values do not fit
    if small[i] > 250 then small[i] = 3 end
  end
end }]],
    -- The rows of this query have other indices in the components.
    mapped = [[
return { after = "exits", query = { "mote", "extra" }, update = function(q)
  local v, x = q.extra.v, q.mote.x
  for i = 2, q.count do
    if x[i] > 1 then v[i] = v[i - 1] * 0.5 + x[i] end
    x[i] = math.max(x[i - 1], x[i] - 3)
  end
end }]],
    -- The guards hold in the first ticks only.
    growing = [[
return { after = "mapped", query = { "mote" }, update = function(q)
  local d, back = q.mote.d, world.tick < 2 and 2 or 6
  if world.tick == 3 then q.entity[9]:destroy() end
  for i = 5, q.count do
    d[i] = d[i - 1] * 0.25 + (i > back and d[i - back] or 1)
  end
end }]],
  },
  explain = {
    all = "native", ["all, loop 2"] = "native", sweep = "native, no rows in Lua",
    ["sweep, loop 2"] = "native, no rows in Lua", exits = "native, some rows in Lua", mapped = "native, no rows in Lua",
    growing = "native",
  },
}
