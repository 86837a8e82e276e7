-- Loops over all rows that read the next row. Native code must not read the row after the last row, which belongs to no
-- entity: rows that would do so fail as in Lua. With `guard`, the column ends where the memory ends.
local last_row = [[
return { query = { "mote" }, update = function(q)
  local n, x, sum = q.mote.n, q.mote.x, 0
  for i = 1, q.count do
    if i < q.count or world.tick == 3 then x[i] = x[i] + n[i + 1] sum = sum + x[i] end
  end
  world.single.totals.n = sum
end }]]
return {
  title = "native loops over all rows do not read the row after the last row",
  ticks = 6,
  modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "on", "now" },
  variants = {
    {
      systems = {
        add = [[
return { query = { "mote" }, update = function(q)
  local n, x, first, sum = q.mote.n, q.mote.x, world.tick, 0
  for i = 1, q.count do
    if i < 280 then x[i] = x[i] + n[i + 1] sum = sum + x[i] end
  end
  for i = 1, q.count do
    if i > first and i < 290 then
      n[i] = (n[i] + n[i + 2]) % 1000
      sum = sum + n[i]
    end
  end
  world.single.totals.n = sum
end }]],
      },
      explain = { add = "native", ["add, loop 2"] = "native" },
    },
    { systems = { add = last_row }, status = 1, messages = { "systems/add.lua:4" } },
  },
}
