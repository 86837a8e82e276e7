return {
  phase = "post_update",
  update = function()
    if world.tick ~= world.single.bench.last then return end
    for _, told in ipairs { world.single.told, world.single.heard } do
      print(("check entered %d"):format(told.entered))
      print(("check left %d"):format(told.left))
      print(("check changed %d"):format(told.changed))
    end
    print(("check sum %.17g"):format(world.single.told.sum))
  end,
}
