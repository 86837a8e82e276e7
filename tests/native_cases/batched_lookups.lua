-- Batched lookups of entities in a column: more rows than fit in a batch, a last batch smaller than a vector, invalid
-- ids, ids of destroyed entities, and ids that change in the next tick. Also with a sum, for which rows run one at a
-- time, and with side exits, after which the rest of a batch is looked up again.
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
    sum = [=[
return { after = "lookup", query = { "mote" }, update = function(q)
  local m, other, sum, angles = q.mote, world.lookup("mote"), 0, 0
  for i = 1, q.count do
    local a = other.a[m.to[i]]
    sum, angles = sum * 0.5 + (a or m.b[i]), angles + math.sin(m.c[i] + math.cos(m.d[i]))
    if i % 23 == world.tick or i % 100 < 3 then
      world.emit("hit", { n = sum })
      m.to[i], m.c[i] = m.from[i], angles
    end
    m.d[i] = sum
  end
  world.single.totals.n = angles
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
  explain = { lookup = "native, no rows in Lua", sum = "native, some rows in Lua", change = "native" },
}
