-- Makes the ball roll, jump and dash. After DELAY ticks without input, it moves by itself.
local FLOOR, DELAY = 440, 240
local COLOURS = { amber = "#ffb84a", mint = "#7dffb2", azure = "#5cc8ff" }

local function spawn_puff(e)
  local made = world.spawn("puff", { transform = { x = e.transform.x, y = e.transform.y },
    shape = { radius = settings.size * 0.8, colour = e.shape.colour } })
  world.tween(made, "shape.radius", 2, 0.4)
  world.tween(made, "shape.colour.a", 0, 0.4)
end

return {
  query = { "ball", "transform", "shape" },
  each = function(e, dt)
    local at, ball, floor = e.transform, e.ball, FLOOR - settings.size
    local run, jumps, dashes = input.axis("run"), input.pressed("jump"), input.pressed("dash")
    if run ~= 0 or jumps or dashes then
      ball.played = world.tick
    elseif world.tick - ball.played > DELAY then
      run, jumps = math.sin(world.time * 0.7), world.tick % 70 == 0
    end
    ball.vx = ball.vx + (run * 340 - ball.vx) * math.min(1, 6 * dt)
    if dashes then
      ball.vx = ball.vx + (run < 0 and -700 or 700)
      input.rumble(0.5, 0.15)
    end
    ball.vy = ball.vy + 1500 * dt
    if jumps and at.y >= floor then
      ball.vy = -640
    end
    at.x, at.y = (at.x + ball.vx * dt) % 960, at.y + ball.vy * dt
    if at.y > floor then
      if ball.vy > 500 then
        input.rumble(0.3, 0.1)
      end
      at.y, ball.vy = floor, ball.vy > 200 and -ball.vy * 0.35 or 0
    end
    at.angle = at.angle + ball.vx * dt / settings.size
    at.scale_x, at.scale_y = settings.size / 26, settings.size / 26
    e.shape.colour = COLOURS[settings.colour]
    if settings.trail and world.tick % 3 == 0 then
      spawn_puff(e)
    end
  end,
}
