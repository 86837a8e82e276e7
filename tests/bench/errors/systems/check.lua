return {
  phase = "post_update",
  update = function()
    if world.tick ~= world.single.bench.last then return end
    print(("check count %.17g"):format(world.single.done.count))
  end,
}
