-- One row in a hundred takes a side exit, because machine code emits an event only once a row, and the loop has guards.
-- The guards must not be a nested loop, for which LuaJIT would abort the trace, so that each of these rows would take
-- 1.5 us (after_rare_events in native_cases.sh).
return {
  title = "a native loop in which 1 % of the rows take a side exit takes at most a quarter longer than in LuaJIT",
  ticks = 3,
  modes = { "LuaJIT", "now" },
  components = [[
local single = shoal.types.single
return { mote = { x = 0, vx = 0, n = 0 }, limit = single { n = 100, factor = 0.5 }, hits = single { sum = 0 } }]],
  game = [[
return { start = function()
  world.spawn_many("mote", 10000, function(q)
    for i = 1, q.count do
      q.mote.x[i], q.mote.vx[i], q.mote.n[i] = i, i % 7 - 3, i * 7919 % 10000
    end
  end)
end }]],
  systems = {
    emit_rarely = [[
return { query = { "mote" }, update = function(q, dt)
  local c, limit = q.mote, world.single.limit
  for i = 1, q.count do
    c.x[i] = c.x[i] + c.vx[i] * dt * limit.factor
    if c.n[i] < limit.n then
      world.emit("hit", { n = i })
      world.emit("hit", { n = 1 })
    end
  end
end }]],
  },
  explain = { emit_rarely = "native, 300 to 300 rows in Lua" },
}
