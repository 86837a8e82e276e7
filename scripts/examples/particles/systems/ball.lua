-- Bounces the ball between the fire and the crystal. Each bounce raises dust.
local FLOOR, LEFT, RIGHT = 590, 480, 850

return {
  query = { "ball", "transform" },
  each = function(e, dt)
    local ball, at = e.ball, e.transform
    ball.vy = ball.vy + 900 * dt
    at.x, at.y = at.x + ball.vx * dt, at.y + ball.vy * dt
    if at.x < LEFT and ball.vx < 0 or at.x > RIGHT and ball.vx > 0 then
      ball.vx = -ball.vx
    end
    if at.y > FLOOR and ball.vy > 0 then
      at.y, ball.vy = FLOOR, -690
      world.spawn("puff", { transform = { x = at.x, y = at.y + 14 } })
    end
  end,
}
