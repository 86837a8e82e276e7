return {
  phase = "post_update",
  update = function()
    if world.tick == world.single.bench.last then print(("check things %d"):format(world.count("thing"))) end
  end,
}
