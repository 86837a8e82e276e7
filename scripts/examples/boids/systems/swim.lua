-- Moves the fish by their `steer`: limits the speed, turns fish back at the edges, and damps vertical movement.
local sea = require "lib.sea"
local clamp = shoal.math.clamp
local WIDTH, HEIGHT = sea.WIDTH, sea.HEIGHT

return {
  after = "drift",
  query = { "transform", "velocity", "steer", "fish" },
  precision = "single",
  update = function(q, dt)
    local transform, velocity, steer, speeds = q.transform, q.velocity, q.steer, q.fish.speed
    for i = 1, q.count do
      local x, y = transform.x[i], transform.y[i]
      local edge_x = math.max(0, 60 - x) - math.max(0, x - (WIDTH - 60))
      local edge_y = math.max(0, 60 - y) - math.max(0, y - (HEIGHT - 60))
      local vx = velocity.x[i] + (steer.x[i] + edge_x * 6) * dt
      local vy = (velocity.y[i] + (steer.y[i] + edge_y * 6) * dt) * (1 - 0.35 * dt)
      local speed = math.sqrt(vx * vx + vy * vy + 0.01)
      local cruise = speeds[i]
      local wanted = clamp(speed, cruise * 0.6, cruise * 2.2)
      wanted = wanted + (cruise - wanted) * dt * 0.8
      velocity.x[i] = vx / speed * wanted
      velocity.y[i] = vy / speed * wanted
      transform.x[i] = clamp(x + velocity.x[i] * dt, -90, WIDTH + 90)
      transform.y[i] = clamp(y + velocity.y[i] * dt, -90, HEIGHT + 90)
    end
  end,
}
