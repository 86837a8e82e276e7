-- Locals set before the loops to results of world.lookup: a whole component, a column, and a vector field.
return {
  title = "results of world.lookup obtained before a loop can be used in the loop",
  ticks = 5,
  systems = {
    lookup = [=[
return { query = { "mote" }, update = function(q)
  local m, other, v = q.mote, world.lookup("mote"), world.lookup("extra").v
  local a, position = world.lookup("mote").a, world.lookup("mote").position
  local sum = world.tick
  for i = 1, q.count do
    sum = sum + (other.b[m.to[i]] or 0.5) - (position.x[m.from[i]] or 2) / 2
    m.c[i] = (v[m.from[i]] or -1) + sum
  end
  world.single.totals.n = sum
  for i = 1, q.count do
    a[q.entity[i]] = (a[m.to[i]] or 3) * 0.5 + m.b[i]
    position.y[q.entity[i]] = position.y[q.entity[i]] + (other.d[m.from[i]] or 1)
    if m.to[i] ~= shoal.none and i % 50 == 5 then other.n[m.to[i]] = i end
  end
  other = world.lookup(sum > 3 and "extra" or "mote")
  for i = 1, q.count do
    m.d[i] = other.v and other.v[m.to[i]] or 7
  end
end }]=],
  },
  explain = {
    lookup = "native, no rows in Lua",
    ["lookup, loop 2"] = "native, no rows in Lua",
    ["lookup, loop 3"] = "native, no rows in Lua",
  },
}
