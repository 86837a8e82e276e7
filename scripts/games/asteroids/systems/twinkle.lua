-- Makes the stars twinkle and move opposite to the mean motion of the ships; near stars move faster (parallax).
local tuning = require "tuning"

local WIDTH, HEIGHT = tuning.width, tuning.height

return {
  after = { "motion" },
  queries = { stars = { "star", "transform", "shape" }, ships = { "ship", "motion", "intent" } },
  update = function(q, dt)
    local stars = q.stars
    local vx, vy = 14, 5
    local ships = q.ships
    for i = 1, ships.count do
      vx, vy = vx + ships.motion.vx[i] / ships.count, vy + ships.motion.vy[i] / ships.count
    end
    local x, y, alpha = stars.transform.x, stars.transform.y, stars.shape.colour.w
    local star = stars.star
    local base, swing, rate, phase, depth = star.base, star.swing, star.rate, star.phase, star.depth
    for i = 1, stars.count do
      phase[i] = phase[i] + rate[i] * dt
      alpha[i] = base[i] + swing[i] * math.sin(phase[i])
      x[i] = (x[i] - vx * depth[i] * dt) % WIDTH
      y[i] = (y[i] - vy * depth[i] * dt) % HEIGHT
    end
  end,
}
