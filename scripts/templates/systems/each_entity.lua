-- Runs code for each entity that has the listed components.
return {
  query = { "transform" },
  each = function(e, dt)
    e.transform.angle = e.transform.angle + dt
  end,
}
