-- Moves platforms from `update`, back and forth.
return {
  query = { "transform", "swing" },
  each = function(e, dt)
    local swing = e.swing
    swing.elapsed = swing.elapsed + dt
    local phase = swing.elapsed / swing.seconds % 2
    local part = phase < 1 and phase or 2 - phase
    e.transform.x, e.transform.y = swing.x1 + (swing.x2 - swing.x1) * part, swing.y1 + (swing.y2 - swing.y1) * part
  end,
}
