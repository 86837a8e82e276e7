-- Swings the lamp.
return {
  query = { "swing", "transform" },
  each = function(e, dt)
    e.swing.angle = (e.swing.angle + 1.7 * dt) % (2 * math.pi)
    e.transform.angle = 1.1 * math.sin(e.swing.angle)
  end,
}
