-- States with functions and persistent values, systems that are enabled and disabled, a system that runs on demand, and
-- entities and components that are disabled and enabled at random.
return {
  title = "Turns",
  start = function()
    for i = 1, 12 do world.spawn("guard", { transform = { x = i } }) end
    world.run("alarm", { loud = 2 })
  end,
}
