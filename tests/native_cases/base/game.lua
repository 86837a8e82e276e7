-- The base game of the cases: 300 motes, one of which is destroyed, so that row numbers differ from spawn order.
return { start = function()
  local motes = world.spawn_many("mote", 300, function(q)
    local m = q.mote
    for i = 1, q.count do
      m.a[i], m.b[i], m.flag[i], m.n[i], m.x[i], m.y[i] = i % 7, i % 5, i % 2 == 1, i, i / 7, i % 13 - 6
    end
  end)
  for i = 2, 300, 3 do
    motes[i].mote.to, motes[i].mote.from = motes[i], motes[i % 9 + 1]
    motes[i]:add("extra")
  end
  motes[3]:destroy()
end }
