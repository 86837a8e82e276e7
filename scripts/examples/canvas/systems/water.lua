-- Makes entities with `float` bob on the water.
return {
  query = { "float", "transform" },
  each = function(e, dt)
    local float = e.float
    float.phase = (float.phase + dt * 1.6) % (2 * math.pi)
    e.transform.y = float.at + float.height * math.sin(float.phase)
  end,
}
