return {
  phase = "input",
  start = function()
    for i = 1, world.single.bench.count do
      world.spawn("crafter", { crafter = { id = i, makes = i % 3 + 1 }, bag = { items = { i % 3 + 1 } } })
    end
  end,
}
