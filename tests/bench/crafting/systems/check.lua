local ITEMS = { wood = 0, iron = 1, fibre = 2, plank = 3, nail = 4, crate = 5, rope = 6 }

return {
  phase = "post_update",
  queries = { crafters = { "crafter" }, stacks = { "stack" } },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local made, items = 0, 0
    for i = 1, q.crafters.count do made = made + q.crafters.crafter.made[i] * (i % 11) end
    for i = 1, q.stacks.count do items = items + q.stacks.stack.count[i] * (1 + ITEMS[q.stacks.stack.item[i]]) end
    print(("check made %.17g"):format(made))
    print(("check stacks %.17g"):format(q.stacks.count))
    print(("check items %.17g"):format(items))
    print(("check failures %.17g"):format(world.single.workshop.failures))
  end,
}
