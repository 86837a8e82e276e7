-- The spark's warmth and light burn down in 30 seconds; glow-worms restore them.
return {
  query = { "spark", "light", "shape" },
  each = function(e, dt)
    local warmth = math.max(0, e.spark.warmth - dt / 30)
    e.spark.warmth = warmth
    e.light.range = 140 + 360 * warmth
    e.shape.radius = 3 + 4 * warmth
  end,
}
