-- A star moves up and down the net. The side whose ball touches it charges its paddle, whose next hit is a smash.
local looks = require "looks"
-- REACH: distance between the centres of star and ball, in pixels; EVERY: seconds until the next star; TOP, BOTTOM:
-- range of the star's y
local REACH, EVERY, TOP, BOTTOM = 26 + looks.ball, 2.4, 110, 610

local function spawn_star()
  local way = world.random() < 0.5 and -1 or 1
  local e = world.spawn("star", { transform = { y = TOP + (BOTTOM - TOP) * world.random() }, star = { vy = 70 * way } })
  world.tween(e, "transform.scale_x", 1, 0.5, "back_out", { from = 0 })
  world.tween(e, "transform.scale_y", 1, 0.5, "back_out", { from = 0 })
end

local function move(e, dt)
  local star, transform = e.star, e.transform
  transform.y = transform.y + star.vy * dt
  if transform.y < TOP and star.vy < 0 or transform.y > BOTTOM and star.vy > 0 then star.vy = -star.vy end
end

-- Gives the star to the side that last hit the ball; a served ball passes through it.
local function take(e, ball, match)
  local side, transform = ball.last, e.transform
  for paddle in world.each("paddle") do
    if paddle.paddle.side == side then paddle.paddle.charged = true end
  end
  match.stars, match.star_in = match.stars + 1, EVERY
  world.emit("star_taken", { x = transform.x, y = transform.y, side = side })
  e:destroy()
end

return {
  after = "ball",
  when = { match = { phase = { "serve", "play" } } },
  queries = { stars = { "star", "transform" }, balls = { "ball", "transform" } },
  update = function(q, dt)
    local match = world.single.match
    if q.stars.count == 0 then
      match.star_in = match.star_in - dt
      if match.star_in <= 0 then spawn_star() end
      return
    end
    local star = q.stars.entity[1]
    move(star, dt)
    for i = 1, q.balls.count do
      local e = q.balls.entity[i]
      local dx, dy = e.transform.x - star.transform.x, e.transform.y - star.transform.y
      if e.ball.last ~= 0 and dx * dx + dy * dy < REACH * REACH then return take(star, e.ball, match) end
    end
  end,
}
