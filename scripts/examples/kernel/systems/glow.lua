-- Fast stars are blue, slow ones are red: a choice in a kernel is m.select, m.lerp or m.clamp, never `if`.
local m = shoal.math

return {
  after = "gravity",
  query = { "star", "shape" },
  kernel = function(q)
    local vx, vy = q.star.vx, q.star.vy
    local speed = m.clamp(m.sqrt(vx * vx + vy * vy) / 70, 0, 1)
    local hot = m.gt(q.star.heat, 0.985)
    q.shape.colour.r = m.select(hot, 1, m.lerp(0.85, 0.35, speed))
    q.shape.colour.g = m.lerp(0.32, 0.55, speed)
    q.shape.colour.b = m.select(hot, 0.7, m.lerp(0.38, 1, speed))
    q.shape.radius = m.select(hot, 2.6, m.lerp(0.9, 1.4, q.star.heat))
  end,
}
