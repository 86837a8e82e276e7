-- Accesses nozzles by name: the left and right nozzles of a fountain sway in opposite directions.
return {
  before = "spray",
  query = { "fountain" },
  each = function(e)
    local sway = 0.34 * math.sin(world.time * 1.3 + e.fountain.number)
    e.nozzle.left.angle = -1.86 + sway
    e.nozzle.right.angle = -1.28 - sway
  end,
}
