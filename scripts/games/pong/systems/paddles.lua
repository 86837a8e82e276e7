-- Moves the paddles: the players' paddles by input, the AI's paddles to the position where the AI expects the ball.
local looks = require "looks"
local SPEED, SLIDE = 760, 14 -- SPEED: pixels/s; SLIDE: rate (1/s) at which a paddle approaches its target speed
-- speed: maximum speed of the paddle (pixels/s); look: maximum distance at which the AI reacts to the ball (pixels);
-- miss: maximum aiming error for a slow ball, where 1 is the edge of the paddle; it grows with the ball's speed
-- BLIND, STARTLED: factor of `look`, and additional error, when the ball is a smash
local SKILLS = { easy = { speed = 430, look = 450, miss = 0.85 }, normal = { speed = 560, look = 700, miss = 0.7 },
  hard = { speed = 740, look = 1100, miss = 0.5 }, for_show = { speed = 560, look = 800, miss = 0.95 } }
local BLIND, STARTLED = 0.6, 0.5
local LOW, HIGH = looks.wall + looks.paddle_height / 2, looks.height - looks.wall - looks.paddle_height / 2

-- Returns the y at which a ball that bounces between the walls reaches x = line.
local function compute_crossing(x, y, vx, vy, line)
  local top, height = looks.wall + looks.ball, looks.height - 2 * (looks.wall + looks.ball)
  local distance = (y + vy * (line - x) / vx - top) % (2 * height)
  return top + (distance > height and 2 * height - distance or distance)
end

-- Returns the target speed of the AI's paddle as a fraction of SPEED, -1 … 1.
local function steer_paddle(paddle, x, y, ball, ball_transform, skill)
  local goal = 360
  local is_smash = ball and ball.smash
  local look = skill.look * (is_smash and BLIND or 1)
  if ball and ball.vx * paddle.side > 0 and math.abs(ball_transform.x - x) < look then
    local error_share = skill.miss + math.abs(ball.vx) / 3000 + (is_smash and STARTLED or 0)
    local miss = (looks.paddle_height / 2 + looks.ball) * error_share
    goal = compute_crossing(ball_transform.x, ball_transform.y, ball.vx, ball.vy, x) - paddle.aim * miss
  end
  return math.max(-1, math.min(1, (goal - y) / 26)) * skill.speed / SPEED
end

return {
  query = { "paddle", "transform" },
  update = function(q, dt)
    local match, ball, ball_transform = world.single.match, nil, nil
    for e in world.each("ball") do ball, ball_transform = e.ball, e.transform end
    for i = 1, q.count do
      local paddle, x, y = q.entity[i].paddle, q.transform.x[i], q.transform.y[i]
      local player = paddle.side < 0 and match.players > 0 and 1 or match.players == 2 and 2 or 0
      local skill = SKILLS[match.players == 0 and "for_show" or settings.opponent]
      local direction = player > 0 and input.axis("move", match.players == 2 and player or nil)
        or steer_paddle(paddle, x, y, ball, ball_transform, skill)
      local speed = q.paddle.speed[i] + (direction * SPEED - q.paddle.speed[i]) * math.min(1, SLIDE * dt)
      local new_y = math.max(LOW, math.min(HIGH, y + speed * dt))
      q.paddle.speed[i], q.transform.y[i] = (new_y - y) / dt, new_y
    end
  end,
}
