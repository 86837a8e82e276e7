return {
  phase = "post_update",
  update = function()
    if world.tick == world.single.bench.last then
      local x = 0
      for e in world.each { "transform", "velocity" } do x = x + e.transform.x end
      print(("check drawn_x %d"):format(x))
    end
  end,
}
