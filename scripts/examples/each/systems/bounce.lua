-- Moves the balls. `each` is called for every entity that has all components of the query.
return {
  query = { "transform", "ball" },
  each = function(e, dt)
    local place, ball = e.transform, e.ball
    ball.vy = ball.vy + 900 * dt
    place.x, place.y = place.x + ball.vx * dt, place.y + ball.vy * dt
    local left, right, floor = ball.radius, 1280 - ball.radius, 700 - ball.radius
    if place.x < left or place.x > right then
      place.x = place.x < left and left or right
      ball.vx = -ball.vx
    end
    if place.y > floor then
      place.y = floor
      -- The speed is at least 420, so that the ball never comes to rest.
      ball.vy = -math.max(420, math.abs(ball.vy) * 0.96)
    end
  end,
}
