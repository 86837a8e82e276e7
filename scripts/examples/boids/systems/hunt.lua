-- The shark crosses the sea on a long curve.
local sea = require "lib.sea"
local sin, cos = math.sin, math.cos

return {
  query = { "shark", "transform", "sprite" },
  update = function(q, dt)
    local now = world.time * 0.23
    for i = 1, q.count do
      local x = sea.WIDTH * (0.5 + 0.62 * sin(now - 0.9))
      local y = sea.HEIGHT * (0.52 + 0.30 * sin(now * 1.7 + 0.5))
      local vx, vy = sea.WIDTH * 0.62 * cos(now - 0.9), sea.HEIGHT * 0.30 * 1.7 * cos(now * 1.7 + 0.5)
      q.transform.x[i], q.transform.y[i] = x, y
      q.transform.angle[i] = math.atan2(vy, vx) + 0.05 * sin(world.time * 5)
      q.sprite.flip_y[i] = vx < 0
    end
  end,
}
