-- A value that is loop-invariant within a tick may change in the next tick: here a singleton in a local, and a string
-- that the world has not interned yet.
return {
  title = "loop-invariant values are read again in every run of a system",
  ticks = 5,
  systems = {
    singleton = [[
return { query = { "mote" }, update = function(q)
  local s = world.tick % 2 == 0 and world.single.totals or world.single.other_totals
  for i = 1, q.count do
    s.n = s.n * 0.5 + q.mote.a[i]
  end
end }]],
    unknown = [[
return { query = { "mote" }, update = function(q)
  local w = world.tick < 2 and "" or "never " .. world.tick
  for i = 1, q.count do
    if q.mote.word[i] == "first" then q.mote.d[i] = 0 end
    local t, u = "first", w
    if q.mote.a[i] > 4 then t = w end
    if q.mote.a[i] < 4 then u = "first" end
    if q.mote.a[i] == 2 then t, u = "last", "last" end
    q.mote.b[i] = (t == "last" and 1 or t == "first" and 2 or 3) + (u == "last" and 10 or u == "first" and 20 or 30)
  end
end }]],
    words = [[
return { query = { "mote" }, each = function(e)
  local m, other = e.mote, world.single.other_totals
  m.word, m.label, m.note = "world.single.other_totals.word", other.word, world.single.totals.word
end }]],
  },
  explain = { singleton = "native", unknown = "native", words = "native" },
}
