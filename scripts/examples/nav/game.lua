-- Two groups find their way through a town. Houses and gates are obstacles of the plugin `nav`. Agents with the same
-- goal share one flow field. Gates open and close, and a click adds or removes a house; the routes change accordingly.
return {
  title = "Nav: routes through a town",
  width = 1280,
  height = 720,
  addons = { "caption" },
  plugins = { "nav" },
  start = function()
    world.spawn("eye")
    world.single.nav.cell = 20
    local west, east = world.spawn("goal", { transform = { x = 50, y = 360 } }),
      world.spawn("goal", { transform = { x = 1230, y = 360 } })
    for column = 0, 2 do
      for row = 0, 5 do
        world.spawn("house", { transform = { x = 250 + column * 390 + row % 2 * 40, y = 60 + row * 120 } })
      end
    end
    for row = 0, 5 do
      world.spawn("wall", { transform = { x = 450, y = 60 + row * 120 } })
      world.spawn("wall", { transform = { x = 830, y = 60 + row * 120 } })
      world.spawn("gate", { transform = { x = 450, y = row * 120 }, gate = { wait = 1 + row * 0.7 } })
      world.spawn("gate", { transform = { x = 830, y = row * 120 }, gate = { wait = 3 + row * 0.9 } })
    end
    world.spawn("marsh", { transform = { x = 640, y = 420 } })
    for i = 1, 600 do
      local to_east = i % 2 == 0
      world.spawn(to_east and "red" or "blue",
        { transform = { x = to_east and world.random(20, 200) or world.random(1080, 1260),
        y = world.random(20, 700) }, nav_agent = { goal = to_east and east or west } })
    end
  end,
}
