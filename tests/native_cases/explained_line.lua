-- Every row takes a side exit, so native code would not pay off.
return {
  title = "--explain names the line that prevents a system from running natively",
  ticks = 2,
  modes = { "now" },
  systems = {
    emit = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.n[i] = world.tick
    world.emit("hit", { n = i })
  end
end }]],
  },
  prints = {
    "emit (systems/emit.lua:2): in LuaJIT: every row runs in Lua: a value that does not fit mote.n, world.emit",
  },
  explain = { emit = "in LuaJIT" },
}
