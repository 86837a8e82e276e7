-- Rotates the beam of the lighthouse.
return {
  query = { "turn", "transform" },
  each = function(e, dt)
    e.transform.angle = (e.transform.angle + dt * 0.6) % (2 * math.pi)
  end,
}
