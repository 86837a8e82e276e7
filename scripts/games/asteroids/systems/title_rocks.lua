-- Turns drifting rocks away from the name, the menu and the table of keys on the title screen.
local X, Y, WIDTH, HEIGHT = 640, 330, 540, 480 -- an ellipse around the text; WIDTH, HEIGHT: half axes in pixels

return {
  when = { game = { phase = "title" } },
  query = { "rock", "transform", "motion" },
  update = function(q, dt)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy
    for i = 1, q.count do
      local dx, dy = (x[i] - X) / WIDTH, (y[i] - Y) / HEIGHT
      local distance = math.sqrt(dx * dx + dy * dy) + 0.001
      if distance < 1 then
        local speed = math.sqrt(vx[i] * vx[i] + vy[i] * vy[i])
        local push = speed * 4 * dt / distance
        vx[i], vy[i] = vx[i] + dx * push, vy[i] + dy * push
        local new_speed = math.sqrt(vx[i] * vx[i] + vy[i] * vy[i]) + 0.001
        vx[i], vy[i] = vx[i] / new_speed * speed, vy[i] / new_speed * speed
      end
    end
  end,
}
