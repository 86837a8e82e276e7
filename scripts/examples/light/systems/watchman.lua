-- Moves the watchman on his round between the pillars. He faces his direction of movement, and looks a little to both
-- sides as he walks.
return {
  query = { "walk", "transform" },
  each = function(e, dt)
    local walk, at = e.walk, e.transform
    walk.along = (walk.along + dt * 0.22) % (2 * math.pi)
    local x, y = 640 + 480 * math.sin(walk.along), 360 + 235 * math.sin(walk.along * 2 + 0.9)
    local dx, dy = 480 * math.cos(walk.along), 470 * math.cos(walk.along * 2 + 0.9)
    at.x, at.y = x, y
    at.angle = math.atan2(dy, dx) + 0.35 * math.sin(walk.along * 9)
  end,
}
