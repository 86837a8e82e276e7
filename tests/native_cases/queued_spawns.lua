-- A system spawns an entity and runs systems on demand that read it: rows that refer to it run in Lua.
return {
  title = "native systems and Lua read the same values of an entity whose spawn is queued",
  ticks = 5,
  modes = { "LuaJIT", "sse2,now", "now" },
  components = [[
return { mote = { n = 0, target = shoal.types.entity }, power = { n = 0 } }]],
  assemblages = [[
return { mote = { components = { mote = {} } },
  target = { components = { power = {} }, states = { initial = "new", new = {} } } }]],
  game = [[
return { start = function() world.spawn_many("mote", 300) end }]],
  systems = {
    spawn = [[
return { query = { "mote" }, update = function(q)
  local target = world.spawn("target", { power = { n = world.tick + 2 } })
  for i = 1, q.count do
    if i % 3 == 0 then q.mote.target[i] = target end
  end
  world.run("read_fields")
  world.run("lookup")
  if q.mote.n[3] < 5 or q.mote.n[2] ~= world.tick * 0.25 + 0.25 then error("wrong sum: " .. q.mote.n[3]) end
  target:remove("power")
  world.run("has")
  target:destroy()
end }]],
    read_fields = [[
return { phase = "demand", query = { "mote" }, each = function(e)
  local target = e.mote.target
  if target:alive() then
    e.mote.n = e.mote.n * 0.5 + target.power.n
    if target:state() == "new" then e.mote.n = e.mote.n + 1 end
  end
end }]],
    lookup = [=[
return { phase = "demand", query = { "mote" }, update = function(q)
  local power = world.lookup("power")
  for i = 1, q.count do
    q.mote.n[i] = q.mote.n[i] + (power.n[q.mote.target:raw(i)] or 0.25)
  end
end }]=],
    has = [[
return { phase = "demand", query = { "mote" }, each = function(e)
  local target = e.mote.target
  if target:alive() then e.mote.n = e.mote.n + (target:has("power") and 64 or 8) end
end }]],
  },
  explain = {
    spawn = "native",
    read_fields = "native, some rows in Lua",
    lookup = "native, no runs", -- a guard of the lookup fails while a spawn is queued
    has = "native, some rows in Lua",
  },
}
