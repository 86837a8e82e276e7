-- Sails the boat along the shore, and rocks it.
return {
  query = { "boat", "transform" },
  each = function(e, dt)
    local boat, at = e.boat, e.transform
    boat.along = (boat.along + dt * 26) % 1500
    at.x, at.y = 1390 - boat.along, 426 + 2 * math.sin(boat.along * 0.11)
    at.angle = 0.05 * math.sin(boat.along * 0.09)
  end,
}
