local TICK_S = 1 / 64 -- `dt` is the time of ten ticks, but the sums must equal the sums of the other systems

return {
  after = "move_update",
  query = { "position", "velocity" },
  every = 10,
  each = function(e)
    local position, velocity = e.position, e.velocity
    position.x = position.x + velocity.x * TICK_S
    position.y = position.y + velocity.y * TICK_S
  end,
}
