-- 20,000 fish in five schools. Each fish finds its neighbours in a grid, which systems/grid.lua rebuilds every tick
-- with a counting sort over columns, and follows them at a distance (systems/school.lua). Systems that only do
-- arithmetic run in single precision (systems/swim.lua, systems/shimmer.lua). Hold the mouse button to frighten the
-- fish.
local sea = require "lib.sea"

return {
  title = "Boids: a shoal of fish",
  width = sea.WIDTH,
  height = sea.HEIGHT,
  tick_rate = 60,
  start = function()
    world.spawn("eye")
    sea.fill(20000) -- 100000 works as well
    for i = 1, 7 do
      world.spawn("ray", { transform = { x = sea.WIDTH * (i - 0.5) / 7, y = 0 }, ray = { phase = i * 2.4 } })
    end
    world.spawn("shark")
  end,
}
