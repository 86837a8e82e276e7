return {
  after = "move_update",
  query = { "position", "velocity" },
  every = 10,
  each = function(e, dt)
    local position, velocity = e.position, e.velocity
    position.x = position.x + velocity.x * dt
    position.y = position.y + velocity.y * dt
  end,
}
