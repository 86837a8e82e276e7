-- Loops over some of a query's rows: with any start, stop and step. Rows out of range behave as in Lua.
local first_error = [[
return { query = { "mote" }, update = function(q)
  for i = 2 - world.tick, q.count - 1 do q.mote.c[i] = q.mote.c[i] + 1 end
end }]]
local last_error = [[
return { query = { "mote" }, update = function(q)
  local n = q.count + world.tick - 1
  for i = 5, n do q.mote.c[i] = q.mote.c[i] + 1 end
end }]]
local single_error = [[
return { query = { "mote" }, precision = "single", update = function(q)
  local x = q.mote.x
  for i = 5, q.count + world.tick - 1 do x[i] = x[i] + 1 end
end }]]
return {
  title = "loops over a range of rows run natively, and rows out of range behave as in Lua",
  ticks = 5,
  modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "now,split", "on", "now,swap1", "now" },
  variants = {
    {
      systems = {
        smooth = [[
return { query = { "mote" }, update = function(q)
  local c, w, tick = q.mote.c, math.floor(math.sqrt(q.count)), world.tick + 1
  for i = w + 1, q.count - w do
    local best = math.min(c[i - 1], c[i + 1], c[i - w], c[i + w]) + q.mote.a[i]
    if best < c[i] + tick then c[i] = best end
  end
  for i = q.count, 1, -1 do c[i] = c[i] * 0.5 + i end
end }]],
        bounds = [[
return { after = "smooth", queries = { all = { "mote" }, some = { "mote", "extra" } }, update = function(q, dt)
  local d, v, n, tick, sum = q.all.mote.d, q.some.extra.v, q.all.count, world.tick + 1, 0
  local weights = { 0.5, 0.25, 2 }
  for k = 1, 3 do sum = sum + weights[k] end
  for i = 1, n - tick do d[i] = d[i] + i * dt end
  for i = 3, 40.5 do d[i] = d[i] - sum end
  for i = tick, n / 2, tick do d[i] = d[i] * 0.5 + sum sum = sum % 7 + d[i] % 1 end
  for i = 20, 20 - tick do d[i] = 1e9 end
  for i = 0 / 0, n do d[i] = 1e9 end
  for i = 1 + tick % 3, #weights + 10 do v[i] = v[i] + weights[i % 3 + 1] end
  for i = n, n do d[i] = sum end
end }]],
        exits = [[
return { after = "bounds", query = { "mote" }, update = function(q)
  local n, a, from, to = q.mote.n, q.mote.a, 10 + 10 * world.tick, 250
  for i = from, to do
    n[i] = n[i] + 1
    if a[i] == 6 and i % 5 == 0 then world.emit("hit", { n = i }) end
    if i == 240 and world.tick == 3 then break end
  end
  for i = from + 1, to, 3 do
    n[i] = n[i] * 3 % 1000
    if a[i] == 5 then world.emit("hit", { n = n[i] }) end
  end
end }]],
        grid = [[
return { after = "exits", query = { "mote" }, update = function(q)
  local w, x = 17, q.mote.x
  for row = 1, 15 do
    for i = row * w + 2, row * w + w - 1 do x[i] = x[i] * 0.75 + row end
  end
  for i = 2, q.count - 1 do q.mote.y[i] = (x[i - 1] + x[i + 1]) * 0.5 end
end }]],
        single = [[
return { after = "grid", query = { "mote" }, precision = "single", update = function(q, dt)
  local x, first, last = q.mote.x, 3 + world.tick, q.count - 10
  for i = first, last do x[i] = x[i] * 0.9 + dt end
end }]],
      },
      explain = {
        smooth = "native, no rows in Lua", ["smooth, line 7"] = "in LuaJIT",
        bounds = "native", ["bounds, loop 2"] = "native",
        ["bounds, loop 3"] = "native", -- loops 4 and 5 have no iterations
        ["bounds, loop 6"] = "native", ["bounds, loop 7"] = "native",
        exits = "native, some rows in Lua", ["exits, loop 2"] = "native, some rows in Lua",
        grid = "native", ["grid, loop 2"] = "native", single = "native",
      },
    },
    { systems = { fails = first_error }, status = 1, messages = { "systems/fails.lua:2" } },
    { systems = { fails = last_error }, status = 1, messages = { "systems/fails.lua:3" } },
    { systems = { fails = single_error }, status = 1,
      messages = { "a loop over rows must stop at row 299, the last row, got 300" } },
  },
}
