return {
  phase = "post_update",
  update = function()
    if world.tick == world.single.bench.last then
      local sums = world.single.sums
      print(("check depth %.17g"):format(sums.depth))
      print(("check a %.17g"):format(sums.a))
      print(("check b %.17g"):format(sums.b))
    end
  end,
}
