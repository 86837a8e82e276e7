-- The cost of a side exit is known only after LuaJIT has compiled it. Native code in which one row in a thousand takes
-- a side exit is several times as fast as LuaJIT's loop, and must not be rejected because its first runs are slow
-- (after_rare_side_exits in native_cases.sh).
return {
  title = "a system with few side exits runs natively instead of in LuaJIT",
  ticks = 3,
  modes = { "LuaJIT", "now" },
  components = [[
local t = shoal.types
return { mote = { x = 0, vx = 1, n = t.i32(0) }, limit = t.single { n = t.i32(10) }, hits = t.single { sum = 0 } }]],
  game = [[
return { start = function()
  world.spawn_many("mote", 10000, function(q)
    for i = 1, q.count do q.mote.vx[i], q.mote.n[i] = i % 7 - 3, i * 7919 % 10000 end
  end)
end }]],
  systems = {
    fall = [[
return { query = { "mote" }, each = function(e, dt)
  e.mote.x = e.mote.x + e.mote.vx * dt
  if e.mote.n < world.single.limit.n then
    world.emit("hit", { n = e.mote.n })
    world.emit("hit", { n = 1 })
  end
end }]],
  },
  explain = { fall = "native, some rows in Lua" },
}
