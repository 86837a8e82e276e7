-- 2,000 starlings and a hawk. Every tick, Shoal describes the surroundings of each bird in the columns of `neighbours`:
-- the number of birds, their centre and the eight nearest birds (systems/flock.lua).
local sky = require "sky"

return {
  title = "Flock: starlings",
  width = sky.WIDTH,
  height = sky.HEIGHT,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    world.spawn("hawk")
    world.spawn_many("starling", 2000, function(q)
      for i = 1, q.count do
        local angle, far = world.random() * 6.283, 120 + world.random() * 160
        q.transform.x[i], q.transform.y[i] = 640 + math.cos(angle) * far * 1.6, 360 + math.sin(angle) * far
        q.flight.vx[i], q.flight.vy[i] = -math.sin(angle) * 120, math.cos(angle) * 120
      end
    end)
  end,
}
