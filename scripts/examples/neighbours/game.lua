-- Drifting dots, connected by lines if they are close to each other. systems/grid.lua rebuilds a grid every tick: each
-- cell stores its first dot, and each dot stores the next dot in its cell.
local sky = require "sky"

return {
  title = "Neighbours: a web",
  width = sky.WIDTH,
  height = sky.HEIGHT,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    world.spawn_many("cell", sky.COLUMNS * sky.ROWS)
    world.spawn_many("dot", 420, function(q)
      for i = 1, q.count do
        q.transform.x[i], q.transform.y[i] = world.random() * sky.WIDTH, world.random() * sky.HEIGHT
        q.drift.x[i], q.drift.y[i] = world.random() * 60 - 30, world.random() * 60 - 30
      end
    end)
  end,
}
