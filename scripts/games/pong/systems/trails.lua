-- Leaves afterimages of the ball in the colour of the side that last hit it, and stretches the ball along its velocity.
local looks = require "looks"

return {
  phase = "post_update",
  query = { "ball", "transform", "shape" },
  each = function(e)
    local ball, transform = e.ball, e.transform
    local colour = ball.smash and looks.gold or looks.colour(ball.last)
    local speed = math.sqrt(ball.vx * ball.vx + ball.vy * ball.vy)
    transform.angle = math.atan2(ball.vy, ball.vx)
    transform.scale_x, transform.scale_y = 1 + speed / 3600, 1 - speed / 6000
    e.shape.colour = { 0.6 + 0.4 * colour[1], 0.6 + 0.4 * colour[2], 0.6 + 0.4 * colour[3], 1 }
    if speed > 0 and world.single.match.stop == 0 then
      local ghost = world.spawn("ghost", { transform = { x = transform.x, y = transform.y },
        shape = { colour = { colour[1], colour[2], colour[3], 0.3 } } })
      world.tween(ghost, "shape.radius", 1, 0.45)
      world.tween(ghost, "shape.colour.a", 0, 0.45)
    end
  end,
}
