-- Changes the loop-invariant values in every tick.
return {
  phase = "pre_update",
  update = function()
    local some, tick = world.single.some, world.tick
    some.n, some.on, some.word = tick * 0.7, tick % 2 == 1, tick % 3 == 0 and "tick " .. tick or "x"
    some.kind = tick % 2 == 0 and "y" or "z"
    world.find("post").post.level = tick / 3
  end,
}
