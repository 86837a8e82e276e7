-- Rows write to a singleton, and the last row falls back to Lua. The native code of earlier rows must not overwrite the
-- value that the last row writes.
return {
  title = "a singleton keeps the value that the last row writes if the last row falls back to Lua",
  ticks = 5,
  modes = { "LuaJIT", "sse2,now", "now" },
  systems = {
    write = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    world.single.totals.n = q.mote.a[i] + i
    world.single.totals.m = world.single.totals.m * 0.5 + q.mote.a[i]
    if (q.count - i) % 100 == 0 then world.emit("hit", { n = i }) end
  end
end }]],
  },
  explain = { write = "native, some rows in Lua" },
}
