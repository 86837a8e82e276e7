return {
  phase = "post_update",
  query = { "villager", "transform" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local place, tired, hunger, walking = 0, 0, 0, 0
    for i = 1, q.count do
      place = place + q.transform.x[i] + q.transform.y[i] * (i % 7)
      tired, hunger = tired + q.villager.tired[i], hunger + q.villager.hunger[i]
      if not q.villager.arrived[i] and q.villager.goal[i]:alive() then walking = walking + 1 end
    end
    print(("check place %.17g"):format(place))
    print(("check tired %.17g"):format(tired))
    print(("check hunger %.17g"):format(hunger))
    print(("check walking %.17g"):format(walking))
  end,
}
