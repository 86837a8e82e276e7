-- Requests a reload in ticks 10 and 20, and prints the calls and events that its systems receive. `recovering` fails
-- until tick 15.
return {
  title = "Reloads",
  start = function()
    print("game start")
    world.spawn("thing", { name = "first" })
    world.spawn("thing")
    world.spawn(nil, { ticker = {} })
  end,
}
