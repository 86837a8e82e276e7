-- Accelerates the spark with the keys. The spark glides after you release them.
return {
  query = { "spark", "mover" },
  each = function(e, dt)
    local mover, grip = e.mover, 7 * dt
    mover.vx = mover.vx + (input.axis("x") * e.spark.speed - mover.vx) * grip
    mover.vy = mover.vy + (input.axis("y") * e.spark.speed - mover.vy) * grip
  end,
}
