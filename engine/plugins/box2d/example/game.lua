-- Stacked crates, at which a ball is thrown every few seconds. The box2d plugin, written in C++ with Box2D, simulates
-- them. All state of the simulation is stored in columns.
return {
  title = "Box2D: crates and balls",
  width = 960,
  height = 540,
  plugins = { "box2d" },
  start = function()
    world.spawn("eye")
    world.spawn("floor")
    for row = 0, 6 do
      for i = 0, 6 - row do
        world.spawn("crate", { transform = { x = 560 + i * 42 + row * 21, y = 470 - row * 42 },
          shape = { colour = { 0.95 - row * 0.05, 0.55 + row * 0.04, 0.25 + row * 0.07, 1 } } })
      end
    end
  end,
}
