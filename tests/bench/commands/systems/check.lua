return {
  phase = "post_update",
  update = function()
    if world.tick == world.single.bench.last then
      print(("check extra %d"):format(world.count("extra")))
      print(("check other %d"):format(world.count("other")))
    end
  end,
}
