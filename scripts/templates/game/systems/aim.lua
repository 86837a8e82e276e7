-- Every new ball goes a way of its own.
return {
  query = { "ball" },
  enter = function(e)
    e.ball.vx = (world.random() - 0.5) * 600
    e.ball.vy = (world.random() - 0.5) * 600
  end,
}
