-- Row 7001 fails at tick 4; in split native code, a worker other than the first computes it.
return {
  title = "the error of a failing row names its line, row and entity, in Lua and in split native code",
  ticks = 6,
  modes = { "LuaJIT", "now", "now,split" },
  options = "--workers 3",
  status = 1,
  messages = {
    "error in system fall: systems/fall.lua:4: mote 7001 is broken",
    "current entity: entity(7001:0 mote), row 7001",
  },
  components = [[
return { mote = { x = 0, n = 0 } }]],
  game = [[
return { start = function()
  world.spawn_many("mote", 9000, function(q) for i = 1, q.count do q.mote.n[i] = i end end)
end }]],
  systems = {
    fall = [[
return { query = { "mote" }, update = function(q, dt)
  local mote = q.mote
  for i = 1, q.count do
    if mote.n[i] == 7001 and world.tick > 3 then error("mote " .. mote.n[i] .. " is broken") end
    mote.x[i] = mote.x[i] + dt
  end
end }]],
  },
  explain = { fall = "native" },
}
