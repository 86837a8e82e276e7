return {
  phase = "post_update",
  query = { "unit" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local hp, sum = q.unit.hp, 0
    for i = 1, q.count do sum = sum + hp[i] * (1 + i % 97) end
    print(("check hp %.17g"):format(sum))
  end,
}
