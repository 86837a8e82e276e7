-- Makes every entity with `lit` shine, in whichever state it is.
return {
  after = { "glow", "fade" },
  query = { "lit", "shape" },
  update = function(q)
    for i = 1, q.count do
      local level = math.max(0, q.lit.level[i])
      q.shape.colour.a[i], q.shape.radius[i] = 0.06 + 0.94 * level, 4 + 3 * level
    end
  end,
}
