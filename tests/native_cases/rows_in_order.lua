-- Some rows run in Lua between native rows: rows that emit an event, destroy an entity, or store a number out of a
-- field's range.
return {
  title = "rows that fall back to Lua run in row order",
  ticks = 30,
  modes = { "LuaJIT", "sse2,now", "on", "now" },
  components = [[
local t = shoal.types
return { mote = { n = t.u8(0), step = 0, sum = t.i32(0) }, hits = t.single { sum = 0 } }]],
  game = [[
return { start = function()
  for i = 1, 3000 do
    world.spawn("mote", { mote = { n = i % 256, step = i % 17 } })
  end
end }]],
  systems = {
    count = [[
return { query = { "mote" }, each = function(e, dt)
  e.mote.n = e.mote.n + 1 - e.mote.n * 0
  e.mote.sum = e.mote.sum + e.mote.n
  if e.mote.n == 40 and e.mote.step > 15 then
    world.emit("hit", { n = e.mote.step })
    e:destroy()
  end
end }]],
    overflow = [[
return { query = { "mote" }, update = function(q, dt)
  for i = 1, q.count do
    q.mote.step[i] = q.mote.step[i] * 0.75 + dt
    q.mote.n[i] = q.mote.n[i] + 60
  end
end }]],
  },
  explain = { count = "native, some rows in Lua", overflow = "native, some rows in Lua" },
}
