return {
  phase = "post_update",
  update = function()
    if world.tick ~= world.single.bench.last then return end
    for _, calls in ipairs { world.single.lua_calls, world.single.c_calls } do
      print(("check entered %d"):format(calls.entered))
      print(("check left %d"):format(calls.left))
      print(("check changed %d"):format(calls.changed))
    end
    print(("check sum %.17g"):format(world.single.lua_calls.sum))
  end,
}
