-- A row that falls back to Lua can read the row count and other rows, even if few rows fall back.
return {
  title = "a row that falls back to Lua can read all rows",
  ticks = 4,
  systems = {
    count = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.b[i] = q.mote.b[i] + 1
    if q.mote.a[i] == 3 then
      world.emit("hit", { n = q.count })
      q.mote.b[i] = q.count + q.mote.a[2]
    end
  end
end }]],
    first = [[
local function sum_first_rows(column, mote)
  return column[1] + column[3] + mote.b[2]
end
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.d[i] = q.mote.d[i] * 0.5 + 1
    if q.mote.a[i] == 5 then
      world.emit("hit", { n = q.mote.d[i] })
      q.mote.d[i] = sum_first_rows(q.mote.a, q.mote)
    end
  end
end }]],
    local_count = [[
return { query = { "mote" }, update = function(q)
  local n = q.count
  for i = 1, n do
    q.mote.c[i] = q.mote.c[i] + 1
    if q.mote.a[i] == 4 then q.mote.c[i] = n * 0.5 end
  end
end }]],
  },
  explain = {
    count = "native, some rows in Lua",
    first = "native, some rows in Lua",
    local_count = "native, no rows in Lua",
  },
}
