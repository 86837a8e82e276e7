-- Moves the ship left and right, and fires.
return {
  query = { "ship", "transform" },
  each = function(e, dt)
    local ship, at = e.ship, e.transform
    at.x = math.max(30, math.min(690, at.x + input.axis("x") * ship.speed * dt))
    ship.reload = ship.reload - dt
    if input.down("fire") and ship.reload <= 0 then
      ship.reload = 0.16
      world.spawn("bullet", { transform = { x = at.x, y = at.y - 24 } })
    end
  end,
}
