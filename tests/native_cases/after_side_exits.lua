-- Locals that are read before the loop keep their values. After a side exit any code may follow, such as a break, a
-- return, or a write of a value that later rows read. The row number and the row count stay correct.
return {
  title = "break, return and writes after a side exit give the same world as in Lua",
  ticks = 6,
  systems = {
    before_loop = [[
return { query = { "mote" }, update = function(q)
  local n, word, leader = world.single.totals.n, world.single.totals.word, world.find("leader")
  local leader_c = leader and leader.mote.c or 7
  for i = 1, q.count do
    q.mote.b[i] = n + world.single.totals.n * 2 + leader_c
    if q.mote.word[i] == word then q.mote.d[i] = q.mote.d[i] + 1 end
    if i % 50 == 3 then
      world.emit("hit", { n = i })
      world.single.totals.n, world.single.totals.word = n + i, i % 100 == 3 and "z" .. i or "p"
      q.mote.word[i] = word
    end
  end
  if q.count == 0 then n = 0 end
end }]],
    ends = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.n[i] = (q.mote.n[i] + i) % 1000
    if i == 200 + world.tick then
      world.emit("hit", { n = i })
      if world.tick % 2 == 0 then break end
      return
    end
  end
end }]],
    row_numbers = [[
return { query = { "mote" }, update = function(q)
  local n, tick = q.count, world.tick
  for i = 1, n do
    q.mote.c[i] = i * 0.5 + n + tick
    if q.mote.a[i] == 3 and i % 20 == 1 then
      world.emit("hit", { n = n - i })
      q.mote.c[i] = q.mote.a[i % n + 1] + q.count - tick
    end
  end
end }]],
    singleton = [[
return { query = { "mote" }, each = function(e)
  e.mote.position.x = e.mote.position.x + 1
  if e.mote.a == 2 then
    world.emit("hit", { n = e.mote.b })
    world.single.totals.m = world.single.totals.m * 0.5 + e.mote.a
  end
  e.mote.position.y = world.single.totals.m
end }]],
  },
  explain = {
    before_loop = "native, some rows in Lua",
    ends = "native",
    row_numbers = "native, some rows in Lua",
    singleton = "native, some rows in Lua",
  },
}
