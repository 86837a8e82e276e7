-- Asks for a reload in tick 10 and in tick 20; prints what its systems hear. `mends` fails until tick 15.
return {
  title = "Reloads",
  start = function()
    print("game start")
    world.spawn("thing", { name = "first" })
    world.spawn("thing")
    world.spawn(nil, { ticker = {} })
  end,
}
