-- Makes the grass grow, and shows its growth as size. A loop over columns like this one is fast enough for thousands of
-- rows.
return {
  query = { "grass", "shape" },
  update = function(q, dt)
    local grown, radius = q.grass.grown, q.shape.radius
    local sum = 0
    for i = 1, q.count do
      grown[i] = math.min(1, grown[i] + 0.06 * dt)
      radius[i] = 1 + 5 * grown[i]
      sum = sum + grown[i]
    end
    world.single.counts.grass = sum
  end,
}
