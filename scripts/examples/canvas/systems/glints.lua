-- Makes the glints on the water grow, shrink and fade.
return {
  query = { "glint", "shape", "transform" },
  each = function(e, dt)
    local glint = e.glint
    glint.phase = (glint.phase + dt * 0.9) % (2 * math.pi)
    e.shape.width = 24 + 40 * (1 + math.sin(glint.phase))
    e.shape.colour.w = 0.07 * (1 + math.sin(glint.phase * 2))
  end,
}
