-- Batched lookups of entities in a column: more rows than fit in a batch, a last batch smaller than a vector, invalid
-- ids, ids of destroyed entities, and ids that change in the next tick.
return {
  title = "batched entity lookups return each row's current entity",
  ticks = 9,
  modes = { "interpreted", "sse2,now", "on", "now,guard", "now" },
  systems = {
    lookup = [=[
return { query = { "mote" }, update = function(q)
  local m, other, extra = q.mote, world.lookup("mote"), world.lookup("extra")
  for i = 1, q.count do
    local a, b, v = other.a[m.to[i]], other.b[m.from[i]], extra.v[m.from[i]]
    m.c[i] = a or -1
    m.d[i] = m.d[i] * 0.5 + (b or 3) + (v and v * 2 or 0.25)
  end
end }]=],
    change = [[
return { phase = "post_update", query = { "mote" }, update = function(q)
  for i = 2, q.count, 3 do
    q.mote.to[i], q.mote.from[i] = q.mote.from[i], q.entity[(i * 7 + world.tick) % q.count + 1]
  end
  local i = world.tick * 5 + 1
  q.entity[i]:destroy()
  q.entity[i + 1]:add("extra", { v = world.tick })
end }]],
  },
  explain = { lookup = "native, no rows in Lua", change = "native" },
}
