return {
  phase = "input",
  start = function() world.spawn_many("thing", world.single.bench.count) end,
}
