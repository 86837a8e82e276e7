-- Loops whose whole body is in an `if` that limits the row number: with every comparison, integers, fractions, infinity
-- and NaN, constants, limits outside of the rows, and side exits. Limits that are not numbers fail as in Lua.
local not_a_number = [[
return { query = { "mote" }, update = function(q)
  local c, first = q.mote.c, world.tick == 3 and "3" or 3
  for i = 1, q.count do
    if i > first and i <= 290 then c[i] = c[i - 1] + 1 end
  end
end }]]
return {
  title = "conditions on the row number around a loop's body limit the rows that run natively",
  ticks = 8,
  modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "now,split", "on", "now,swap1", "now" },
  variants = {
    {
      systems = {
        sweep = [[
return { query = { "mote" }, update = function(q)
  local a, c, w = q.mote.a, q.mote.c, math.floor(math.sqrt(q.count)) + world.tick
  local last = q.count - w
  for i = 1, q.count do
    if i > w and i <= last then
      local best = math.min(c[i - 1], c[i + 1], c[i - w], c[i + w]) + a[i]
      if best < c[i] + i % 7 then c[i] = best end
    end
  end
end }]],
        comparisons = [[
return { after = "sweep", query = { "mote" }, update = function(q)
  local c, d = q.mote.c, q.mote.d
  local limits = { 2, 2.5, -3, 299, 300.5, 1 / 0, -1 / 0, 0 / 0 }
  local n, m, min, max = limits[world.tick + 1], limits[8 - world.tick], math.min, math.max
  for i = 1, q.count do if i > n then d[i] = d[i] + c[max(i - 1, 1)] + 1 end end
  for i = 1, q.count do if i >= n and i ~= 7 then d[i] = d[i] * 0.5 + c[max(i - 1, 1)] + 2 end end
  for i = 1, q.count do if i < n then d[i] = d[i] + c[min(i + 1, q.count)] + 3 end end
  for i = 1, q.count do if i <= n and m <= i then d[i] = d[i] * 0.25 - c[min(i + 1, q.count)] + 4 end end
  for i = 1, q.count do if n < i and i < m then d[i] = d[i] + c[max(i - 1, 1)] + 5 end end
  for i = 1, q.count do if m > i and n >= i and i > 2 then d[i] = d[i] + c[i - 2] end end
  for i = 1, q.count do if not (i < 2.5) and i < 299 then d[i] = (d[i] + c[i + 1] + c[i - 1]) * 0.25 end end
end }]],
        exits = [[
return { after = "comparisons", query = { "mote" }, update = function(q)
  local n, a, first = q.mote.n, q.mote.a, 10 * world.tick + 1
  for i = 1, q.count do
    if i > first and i < 280 then
      n[i] = (n[i] + n[i + 1]) % 1000
      q.mote.b[i] = n[i - 1]
      if a[i] == 6 and i % 5 == 0 then world.emit("hit", { n = i }) end
      if i == 270 and world.tick == 3 then break end
    end
  end
end }]],
        constants = [[
return { after = "exits", query = { "mote" }, update = function(q)
  local n, a, c = q.mote.n, q.mote.a, q.mote.c
  for i = 1, q.count do
    local k = 3
    if i > k and n[i - 1] >= 0 then
      if a[i] == k then c[i] = c[i] + 1 else c[i] = c[i] + 0.5 end
    end
  end
  for i = 1, q.count do
    local step, w = 0.25, 7
    if i > w and i <= 290 then c[i] = c[i] * step + c[i - w] * 0.5 end
  end
end }]],
        changing_limit = [[
return { after = "constants", query = { "mote" }, update = function(q)
  local c, first = q.mote.c, 5
  for i = 1, q.count do
    if i > first then
      c[i] = c[i - 5] * 0.5 + 1
      if i % 20 == 0 then first = i + 3 end
    end
  end
  for i = 1, q.count do
    if i > 1 then c[i] = c[i] + c[i - 1] * 0.125 else c[i] = 3 end
  end
end }]],
      },
      explain = {
        constants = "native, no rows in Lua", ["constants, loop 2"] = "native, no rows in Lua",
        sweep = "native, no rows in Lua", comparisons = "native", ["comparisons, loop 2"] = "native",
        ["comparisons, loop 3"] = "native", ["comparisons, loop 4"] = "native", ["comparisons, loop 5"] = "native",
        ["comparisons, loop 6"] = "native", ["comparisons, loop 7"] = "native, no rows in Lua",
        exits = "native, some rows in Lua", changing_limit = "native", ["changing_limit, loop 2"] = "native",
      },
    },
    { systems = { fails = not_a_number }, status = 1, messages = { "systems/fails.lua:4" } },
  },
}
