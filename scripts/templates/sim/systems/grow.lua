-- Grows the grass and shows the growth as size. With a loop over columns, thousands of rows cost almost nothing.
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
