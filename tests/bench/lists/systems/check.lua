return {
  phase = "post_update",
  query = { "crafter", "bag" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local made, failures, items = 0, 0, 0
    for i = 1, q.count do
      made, failures = made + q.crafter.made[i] * (i % 11), failures + q.crafter.failures[i] * (i % 7)
      local list = q.bag.items[i]
      for k = 1, #list do items = items + list[k] * k * (i % 13) end
    end
    print(("check made %.17g"):format(made))
    print(("check failures %.17g"):format(failures))
    print(("check items %.17g"):format(items))
  end,
}
