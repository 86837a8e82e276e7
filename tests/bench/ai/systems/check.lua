local MODES = { idle = 0, eat = 1, flee = 2, rest = 3, hunt = 4 }

return {
  phase = "post_update",
  query = { "animal" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local a, place, needs, mode = q.animal, 0, 0, 0
    for i = 1, q.count do
      place, needs = place + a.x[i] + a.y[i], needs + a.hunger[i] + a.fear[i] + a.energy[i]
      mode = mode + MODES[a.mode[i]]
    end
    print(("check place %.17g"):format(place))
    print(("check needs %.17g"):format(needs))
    print(("check mode %.17g"):format(mode))
  end,
}
