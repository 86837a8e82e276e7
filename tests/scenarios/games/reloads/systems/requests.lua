return {
  priority = 10,
  update = function()
    if world.tick == 9 or world.tick == 10 then
      world.emit("bang", { number = world.tick })
    end
    if world.tick == 10 or world.tick == 20 then
      reload()
    end
    if world.tick == 15 then
      world.single.tally.mended = true
    end
    if world.tick == 29 then
      print(("end: things %d, first %s at %.1f"):format(world.count("thing"), tostring(world.find("first")),
        world.find("first").transform.x))
    end
  end,
}
