-- Fast stars are blue, slow stars are red. Vector code computes both branches of an `if` and selects one result for
-- each row.
local clamp, lerp = shoal.math.clamp, shoal.math.lerp

return {
  after = "gravity",
  query = { "star", "shape" },
  precision = "single",
  update = function(q)
    local star, colour, radius = q.star, q.shape.colour, q.shape.radius
    for i = 1, q.count do
      local vx, vy = star.vx[i], star.vy[i]
      local speed = clamp(math.sqrt(vx * vx + vy * vy) / 70, 0, 1)
      colour.g[i] = lerp(0.32, 0.55, speed)
      if star.heat[i] > 0.985 then
        colour.r[i], colour.b[i], radius[i] = 1, 0.7, 2.6
      else
        colour.r[i], colour.b[i] = lerp(0.85, 0.35, speed), lerp(0.38, 1, speed)
        radius[i] = lerp(0.9, 1.4, star.heat[i])
      end
    end
  end,
}
