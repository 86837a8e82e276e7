return {
  phase = "input",
  start = function()
    world.spawn_many("one_in_ten", world.single.bench.count / 10)
    world.spawn_many("body", world.single.bench.count / 10 * 9)
  end,
}
