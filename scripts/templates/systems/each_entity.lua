-- Runs code for each entity with some components.
return {
  query = { "transform" },
  each = function(e, dt)
    e.transform.angle = e.transform.angle + dt
  end,
}
