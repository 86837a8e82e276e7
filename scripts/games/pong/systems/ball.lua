-- The rules: the ball bounces off walls and paddles, becomes faster with each hit, and scores when it passes a paddle.
-- Its angle depends on where it hits the paddle.
local looks = require "looks"
-- FIRST, MAX: initial and maximum speed in pixels per second; FASTER: speed factor per hit
local FIRST, FASTER, MAX = 600, 1.06, 1500
-- STEEPEST: maximum angle in radians; SPIN: fraction of the paddle's speed that the ball takes on
local STEEPEST, SPIN = 0.95, 0.18
local TOP, BOTTOM = looks.wall + looks.ball, looks.height - looks.wall - looks.ball
local REACH = looks.paddle_height / 2 + looks.ball

local function bounce(ball, at, paddle, y, match)
  local off = math.max(-1, math.min(1, (at.y - y) / REACH))
  local speed = math.min(MAX, math.sqrt(ball.vx * ball.vx + ball.vy * ball.vy) * FASTER)
  ball.vx = -paddle.side * math.cos(off * STEEPEST) * speed
  ball.vy = math.sin(off * STEEPEST) * speed + paddle.speed * SPIN
  ball.last, match.stop = paddle.side, speed > 1000 and 3 or 2
  for other in world.each("paddle") do other.paddle.aim = world.random() * 2 - 1 end -- random aim for the next hit
  match.rally = match.rally + 1
  match.longest = math.max(match.longest, match.rally)
  if match.players > 0 and match.rally > settings.best then settings.best, match.is_best = match.rally, true end
  world.emit("hit", { x = at.x, y = at.y, side = paddle.side, speed = speed })
end

local function meet_paddles(ball, at, before, match)
  for e in world.each("paddle", "transform") do
    local paddle, face = e.paddle, e.transform.x - e.paddle.side * (8 + looks.ball)
    local reached = (at.x - face) * paddle.side >= 0 and (before - face) * paddle.side <= 0
    if reached and ball.vx * paddle.side > 0 and math.abs(at.y - e.transform.y) <= REACH then
      at.x = face
      bounce(ball, at, paddle, e.transform.y, match)
    end
  end
end

return {
  after = "paddles",
  when = { match = { phase = { "title", "play" } } },
  query = { "ball", "transform" },
  each = function(e, dt)
    local ball, at, match = e.ball, e.transform, world.single.match
    if match.stop > 0 then
      match.stop = match.stop - 1
      return
    end
    if ball.vx == 0 then
      local angle = (world.random() - 0.5) * 1.2
      ball.vx, ball.vy = math.cos(angle) * FIRST * match.to, math.sin(angle) * FIRST
    end
    local before = at.x
    at.x, at.y = at.x + ball.vx * dt, at.y + ball.vy * dt
    if at.y < TOP and ball.vy < 0 or at.y > BOTTOM and ball.vy > 0 then
      at.y, ball.vy = math.max(TOP, math.min(BOTTOM, at.y)), -ball.vy
      world.emit("wall", { x = at.x, y = at.y })
    end
    meet_paddles(ball, at, before, match)
    if math.abs(at.x - 640) > 660 then
      local side = at.x < 640 and 1 or -1
      if match.phase == "play" then
        world.emit("goal", { side = side, y = at.y })
        e:destroy()
      else -- on the title screen: serve again without a score
        at.x, at.y, ball.vx, ball.vy, match.to = 640, 360, 0, 0, -side
      end
    end
  end,
}
