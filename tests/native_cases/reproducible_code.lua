-- In each process, tables keyed by field, column and string names have a different order, and so do tables built by
-- rows. The intermediate code of a system must be the same in every process, because packages find compiled code by its
-- hash (after_reproducible_code in native_cases.sh).
return {
  title = "a system compiles to the same code in several processes",
  ticks = 3,
  systems = {
    records = [[
return { query = { "mote" }, each = function(e)
  local m = e.mote
  local t = { one = "p", two = "q", three = "r", four = m.a, five = m.b, six = 3, seven = "s", [1] = 7, [2] = m.c }
  local s = { alpha = m.c, beta = "q", gamma = m.kind, delta = 0.5 }
  if m.a > 3 then
    t.one, t.two, t.three, t.seven, t[1] = "s", "t", "u", "v", m.d
    t.four, t.five, t.six = m.b * 2, m.c + 1, m.d - 1
    s.alpha, s.beta, s.gamma = m.a * 0.5, "w", "y"
    m.a, m.b, m.c, m.d = m.b + 1, m.c * 2, m.d - 1, m.a * m.b
  elseif m.b > 2 then
    t.one, t.two, t.three, t.seven, t[2] = "k", "l", "m", "n", m.a
    t.four, t.five, t.six = m.b * 3, m.c + 4, m.d - 5
    s.alpha, s.beta, s.delta = m.a * 0.25, "o", 7
    m.d, m.c, m.b = m.c * 3 % 100, m.d - 4, m.a * 5
  end
  if m.flag then m.position = { t.four + t[1], t.five } else m.position = { x = s.alpha, y = s.delta + t[2] } end
  m.word, m.label, m.note = t.one == "s" and "p" or t.two, t.seven, s.beta
  m.kind, m.n = s.gamma, shoal.math.clamp(t.six, 0, 100)
end }]],
    loops = [[
return { query = { "mote" }, update = function(q)
  local totals, max, max_entity, sum = world.single.totals, 0, nil, 0
  for i = 1, q.count do
    local u, v, w, x, y, z = q.mote.a[i], q.mote.b[i], q.mote.c[i], 1, 2, 3
    for k = 1, 4 do
      if u > k then
        u, v, w = v + k, w - k, u * 0.5
        q.mote.a[i], q.mote.b[i], q.mote.c[i], q.mote.d[i] = u, v, w, x
      else
        x, y, z = z + 1, x * 2, y - 0.5
        q.mote.d[i], q.mote.position.x[i] = x + y, z
      end
    end
    if v > max then max, max_entity = v, q.entity[i] end
    sum = sum + u + x + y + z
    if q.mote.flag[i] then totals.n = totals.n * 0.5 + v else totals.m = totals.m * 0.5 + w end
  end
  totals.n = totals.n + sum % 100 + (max_entity and 1 or 2)
end }]],
  },
  explain = { records = "native", loops = "native" },
}
