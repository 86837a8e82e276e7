return {
  priority = 10,
  update = function()
    world.single.tally.runs = world.single.tally.runs + 1
    if world.tick == 29 then
      print(("runs %d things %d rows %d direct %d"):format(world.single.tally.runs, world.count("thing"),
        world.count("motion"),
        world.single.tally.direct))
    end
  end,
  on = {
    bang = function()
      print("the event of a failed system was heard")
    end,
  },
}
