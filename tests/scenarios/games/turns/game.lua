-- States with functions and kept values, systems that come and go, one that runs on demand, and
-- parts that are disabled and enabled, all the time.
return {
  title = "Turns",
  start = function()
    for i = 1, 12 do world.spawn("guard", { transform = { x = i } }) end
    world.run("alarm", { loud = 2 })
  end,
}
