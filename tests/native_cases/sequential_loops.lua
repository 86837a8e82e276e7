-- Several loops over one query are fused into one loop if no row depends on another.
return {
  title = "several loops of a native system run sequentially if rows depend on each other",
  ticks = 4,
  systems = {
    lookup = [=[
return { query = { "mote" }, update = function(q)
  local other = world.lookup("mote")
  for i = 1, q.count do q.mote.a[i] = q.mote.a[i] + 1 end
  for i = 1, q.count do
    local v = other.a[q.mote.from[i]]
    if v then q.mote.b[i] = v end
  end
end }]=],
    random = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do q.mote.c[i] = world.random() end
  for i = 1, q.count do q.mote.d[i] = world.random() end
end }]],
    singleton = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do world.single.totals.n = world.single.totals.n * 0.5 + q.mote.a[i] end
  for i = 1, q.count do q.mote.position.x[i] = world.single.totals.n end
end }]],
    same_row = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do q.mote.n[i] = q.mote.a[i] * 3 end
  for i = 1, q.count do q.mote.position.y[i] = q.mote.n[i] % 2 end
end }]],
  },
  explain = {
    lookup = "native",
    ["lookup, loop 2"] = "native",
    random = "native",
    ["random, loop 2"] = "native",
    singleton = "native",
    ["singleton, loop 2"] = "native",
    same_row = "native",
    ["same_row, loop 2"] = "native",
  },
}
