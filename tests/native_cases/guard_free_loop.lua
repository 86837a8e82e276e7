-- A loop without guards runs in C until something changes: the system is disabled and enabled, or the query shrinks or
-- grows.
return {
  title = "a loop without guards runs without calling Lua until the system or its rows change",
  ticks = 80,
  modes = { "LuaJIT", "sse2,now", "on", "now,swap1", "now" },
  components = [[
local t = shoal.types
return { mote = { x = 0, vx = 1 }, totals = t.single { sum = 0 } }]],
  game = [[
return { start = function()
  world.spawn_many("mote", 300, function(q)
    for i = 1, q.count do q.mote.x[i], q.mote.vx[i] = i, i % 7 - 3 end
  end)
end }]],
  systems = {
    move = [[
return { query = { "mote" }, update = function(q, dt)
  for i = 1, q.count do q.mote.x[i] = q.mote.x[i] + q.mote.vx[i] * dt end
end }]],
    change = [[
return { after = "move", query = { "mote" }, update = function(q)
  local sum = 0
  for i = 1, q.count do sum = sum * 0.5 + q.mote.x[i] end
  world.single.totals.sum = sum
  local tick = world.tick
  world.system("move", tick % 20 > 2)
  if tick == 30 then
    for i = 1, 100 do q.entity[i]:destroy() end
  elseif tick == 50 then
    world.spawn_many("mote", 200)
  end
end }]],
  },
  explain = { move = "native, some runs without Lua", change = "native", ["change, loop 2"] = "in LuaJIT" },
}
