-- Moves the glow-worms in curves.
local SPEED = 40

return {
  query = { "worm", "transform" },
  each = function(e, dt)
    e.worm.turn = e.worm.turn + world.random(-3, 3.5) * dt
    e.transform.x = e.transform.x + SPEED * math.cos(e.worm.turn) * dt
    e.transform.y = e.transform.y + SPEED * math.sin(e.worm.turn) * dt
  end,
}
