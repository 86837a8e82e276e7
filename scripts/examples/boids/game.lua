-- 20,000 fish in five schools. systems/grid.lua sorts the fish by grid cell every tick, with a counting sort over
-- columns. In systems/school.lua, each fish follows the neighbours that it finds in this grid. Systems that only do
-- arithmetic run in single precision (systems/swim.lua, systems/shimmer.lua). Hold the mouse button to frighten the
-- fish.
local sea = require "lib.sea"

return {
  title = "Boids: a shoal of fish",
  width = sea.WIDTH,
  height = sea.HEIGHT,
  addons = { "caption" },
  tick_rate = 60,
  start = function()
    world.spawn("eye")
    sea.fill(20000) -- 100000 also works
    for i = 1, 7 do
      world.spawn("ray", { transform = { x = sea.WIDTH * (i - 0.5) / 7, y = 0 }, ray = { phase = i * 2.4 } })
    end
    world.spawn("shark")
  end,
}
