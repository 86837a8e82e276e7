-- A row stores the reciprocal of 0 or of -0.
return {
  title = "native systems distinguish 0 from -0",
  ticks = 2,
  modes = { "LuaJIT", "now", "sse2,now" },
  components = [[
return { mote = { x = 0, y = 1, reciprocal = 7 } }]],
  game = [[
return { start = function()
  world.spawn_many("mote", 50, function(q)
    for i = 1, q.count do q.mote.x[i], q.mote.y[i] = i % 3, i % 2 end
  end)
end }]],
  systems = {
    choose = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.reciprocal[i] = 1 / (q.mote.x[i] ~= q.mote.y[i] and 0 or -0.0)
  end
end }]],
  },
  explain = { choose = "native" },
}
