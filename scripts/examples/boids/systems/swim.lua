-- Turns what a fish wants into where it goes: no faster and no slower than fish swim, back from the edges, flatter than
-- it would.
local sea = require "lib.sea"
local m = shoal.math
local WIDTH, HEIGHT = sea.WIDTH, sea.HEIGHT

return {
  after = "drift",
  query = { "transform", "velocity", "steer", "fish" },
  kernel = function(q, dt)
    local x, y = q.transform.x, q.transform.y
    local edge_x = m.max(0, 60 - x) - m.max(0, x - (WIDTH - 60))
    local edge_y = m.max(0, 60 - y) - m.max(0, y - (HEIGHT - 60))
    local vx = q.velocity.x + (q.steer.x + edge_x * 6) * dt
    local vy = (q.velocity.y + (q.steer.y + edge_y * 6) * dt) * (1 - 0.35 * dt)
    local speed = m.sqrt(vx * vx + vy * vy + 0.01)
    local cruise = q.fish.speed
    local wanted = m.clamp(speed, cruise * 0.6, cruise * 2.2)
    wanted = wanted + (cruise - wanted) * dt * 0.8
    q.velocity.x = vx / speed * wanted
    q.velocity.y = vy / speed * wanted
    q.transform.x = m.clamp(x + q.velocity.x * dt, -90, WIDTH + 90)
    q.transform.y = m.clamp(y + q.velocity.y * dt, -90, HEIGHT + 90)
  end,
}
