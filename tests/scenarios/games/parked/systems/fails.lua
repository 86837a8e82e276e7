-- Fails on line 9.
return {
  update = function()
    if world.tick == 10 then
      world.single.tally.direct = 1
      world.spawn("thing")
      world.spawn_many("thing", 3)
      world.emit("bang")
      error("on purpose")
    elseif world.tick > 10 then
      print("it ran on")
    end
  end,
}
