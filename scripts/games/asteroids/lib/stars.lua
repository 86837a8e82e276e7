-- Background stars: spawned once, animated by systems/twinkle.lua.
local tuning = require "tuning"

local M = {}

local COUNT = 150

function M.scatter()
  world.spawn_many("star", COUNT, function(q)
    local x, y = q.transform.x, q.transform.y
    local radius, r, g, b = q.shape.radius, q.shape.colour.x, q.shape.colour.y, q.shape.colour.z
    local base, swing, rate, phase, depth = q.star.base, q.star.swing, q.star.rate, q.star.phase, q.star.depth
    for i = 1, q.count do
      local nearness = world.random()
      nearness = nearness * nearness * nearness
      x[i], y[i] = world.random() * tuning.width, world.random() * tuning.height
      radius[i] = 0.7 + 1.1 * nearness
      local warmth = world.random()
      r[i], g[i], b[i] = 0.6 + 0.4 * warmth, 0.75 + 0.1 * warmth, 1.0 - 0.25 * warmth
      base[i], swing[i] = 0.16 + 0.5 * nearness, 0.08 + 0.2 * nearness
      rate[i], phase[i] = 0.5 + 2 * world.random(), world.random() * 2 * math.pi
      depth[i] = 0.01 + 0.05 * nearness
    end
  end)
end

return M
