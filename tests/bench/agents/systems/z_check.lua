return {
  phase = "post_update",
  query = { "agent" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local hunger, energy, food = 0, 0, 0
    for i = 1, q.count do
      local weight = q.agent.id[i] % 7 + 1
      hunger = hunger + q.agent.hunger[i] * weight
      energy = energy + q.agent.energy[i] * weight
      food = food + q.agent.food[i] * weight
    end
    print(("check hunger %.17g"):format(hunger))
    print(("check energy %.17g"):format(energy))
    print(("check food %.17g"):format(food))
  end,
}
