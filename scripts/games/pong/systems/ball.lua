-- The rules: the ball bounces off walls and paddles, becomes faster with each hit, and scores when it passes a paddle.
-- Its angle depends on where it hits the paddle. A charged paddle (systems/stars.lua) smashes it.
local looks = require "looks"
-- FIRST, MAX: initial and maximum speed in pixels per second; FASTER: speed factor per hit; SMASH: speed factor of a
-- smash, which lasts until the next hit
local FIRST, FASTER, SMASH, MAX = 660, 1.06, 1.5, 1500
-- STEEPEST: maximum angle in radians; SPIN: fraction of the paddle's speed that the ball takes on
local STEEPEST, SPIN = 0.95, 0.18
local TOP, BOTTOM = looks.wall + looks.ball, looks.height - looks.wall - looks.ball
local REACH = looks.paddle_height / 2 + looks.ball

local function bounce(ball, transform, paddle, y, match)
  local offset = math.max(-1, math.min(1, (transform.y - y) / REACH))
  ball.pace, ball.smash, paddle.charged = math.min(MAX, ball.pace * FASTER), paddle.charged, false
  local speed = math.min(MAX, ball.pace * (ball.smash and SMASH or 1))
  ball.vx = -paddle.side * math.cos(offset * STEEPEST) * speed
  ball.vy = math.sin(offset * STEEPEST) * speed + paddle.speed * SPIN
  ball.last, match.stop = paddle.side, speed > 1000 and 3 or 2
  for e in world.each("paddle") do e.paddle.aim = world.random() * 2 - 1 end -- random aim for the next hit
  match.rally = match.rally + 1
  match.longest = math.max(match.longest, match.rally)
  if match.players > 0 and match.rally > settings.best then
    settings.best, match.is_best = match.rally, match.record > 0
  end
  world.emit("hit", { x = transform.x, y = transform.y, side = paddle.side, speed = speed, smash = ball.smash })
end

local function meet_paddles(ball, transform, previous_x, match)
  for e in world.each("paddle", "transform") do
    local paddle, face = e.paddle, e.transform.x - e.paddle.side * (8 + looks.ball)
    local has_reached = (transform.x - face) * paddle.side >= 0 and (previous_x - face) * paddle.side <= 0
    if has_reached and ball.vx * paddle.side > 0 and math.abs(transform.y - e.transform.y) <= REACH then
      transform.x = face
      bounce(ball, transform, paddle, e.transform.y, match)
    end
  end
end

return {
  after = "paddles",
  when = { match = { phase = { "title", "play" } } },
  query = { "ball", "transform" },
  each = function(e, dt)
    local ball, transform, match = e.ball, e.transform, world.single.match
    if match.stop > 0 then
      match.stop = match.stop - 1
      return
    end
    if ball.vx == 0 then
      local angle = (world.random() - 0.5) * 1.2
      ball.pace, ball.vx, ball.vy = FIRST, math.cos(angle) * FIRST * match.to, math.sin(angle) * FIRST
    end
    local previous_x = transform.x
    transform.x, transform.y = transform.x + ball.vx * dt, transform.y + ball.vy * dt
    if transform.y < TOP and ball.vy < 0 or transform.y > BOTTOM and ball.vy > 0 then
      transform.y, ball.vy = math.max(TOP, math.min(BOTTOM, transform.y)), -ball.vy
      world.emit("wall", { x = transform.x, y = transform.y })
    end
    meet_paddles(ball, transform, previous_x, match)
    if math.abs(transform.x - 640) > 660 then
      local side = transform.x < 640 and 1 or -1
      if match.phase == "play" then
        world.emit("goal", { side = side, y = transform.y })
        e:destroy()
      else -- serves again without a score on the title screen
        transform.x, transform.y, ball.vx, ball.vy, match.to = 640, 360, 0, 0, -side
      end
    end
  end,
}
