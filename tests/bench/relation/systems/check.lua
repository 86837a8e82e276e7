return {
  phase = "post_update",
  update = function()
    if world.tick == world.single.bench.last then
      print(("check sources %.17g"):format(world.single.sums.sources))
      print(("check weight %.17g"):format(world.single.sums.weight))
    end
  end,
}
