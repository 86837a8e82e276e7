return {
  phase = "post_update",
  update = function()
    if world.tick == world.single.bench.last then
      print(("check left %d"):format(world.count("burning") + world.count("marked")))
    end
  end,
}
