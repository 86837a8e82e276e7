-- Each row chooses between two columns of the same name in different queries, or between methods of two entities.
return {
  title = "rows that choose between two columns or methods of the same name run in LuaJIT with the right results",
  ticks = 3,
  systems = {
    columns = [[
return { queries = { all = { "mote" }, with_extra = { "mote", "extra" } }, update = function(q)
  for i = 1, q.all.count do
    local column = q.all.mote.flag[i] and q.all.mote.a or q.with_extra.mote.a
    q.all.mote.b[i] = q.all.mote.b[i] * 0.5 + column[1 + i % 5]
    q.all.mote.c[i] = q.all.mote.c[i] + q.with_extra.mote.d[2]
  end
end }]],
    methods = [[
return { query = { "mote" }, each = function(e)
  local m = e.mote
  local is_alive = m.flag and m.to.alive or m.from.alive
  m.d = m.d * 0.5 + (is_alive(m.flag and m.to or m.from) and 1 or 2)
end }]],
  },
  explain = { columns = "in LuaJIT", methods = "in LuaJIT" },
}
