-- Twenty thousand fish. Each sees its neighbours through a grid that is built anew every tick (systems/grid.lua: a
-- counting sort over columns), keeps near them, swims as they swim, and keeps its distance (systems/school.lua);
-- arithmetic alone is in single precision (systems/swim.lua, systems/shimmer.lua). The pointer, held down, frightens
-- them.
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
