-- 0 and -0 compare equal but have different reciprocals.
return {
  title = "0 and -0 stay distinct across rows, iterations and control-flow merges",
  ticks = 3,
  systems = {
    rows = [[
return { query = { "mote" }, update = function(q)
  local s = 0
  for i = 1, q.count do
    q.mote.a[i] = q.mote.b[i] + 1 / s
    s = -s
  end
end }]],
    iterations = [[
return { query = { "mote" }, each = function(e)
  local s, signs = 0, 0
  for _ = 1, 3 do
    signs = signs * 2 + (1 / s > 0 and 1 or 0)
    s = -s
  end
  e.mote.c = signs
end }]],
    branches = [[
return { query = { "mote" }, each = function(e)
  local t, s = { z = 0 }, 0
  if e.mote.flag then t.z, s = -t.z, -s end
  e.mote.d = 1 / t.z + 2 / s
end }]],
    columns = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.b[i] = 0
    for _ = 1, 3 do
      q.mote.n[i] = q.mote.n[i] % 1000 * 2 + (1 / q.mote.b[i] > 0 and 1 or 0)
      q.mote.b[i] = -0.0
    end
  end
end }]],
  },
  explain = { rows = "native", iterations = "native", branches = "native", columns = "native" },
}
