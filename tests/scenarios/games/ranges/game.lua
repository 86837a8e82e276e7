-- Writes random values to fields with min and max through every path of Lua (tests/scenarios/field_ranges.sh).
return { title = "Ranges", start = function()
  world.spawn_many("thing", 300, function(q)
    for i = 1, q.count do
      q.stat.i[i], q.stat.f[i], q.source.n[i] = i * 7 - 300, i / 100, i
    end
  end)
end }
