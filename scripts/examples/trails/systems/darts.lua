-- Accelerates the darts towards the mouse or, until the mouse has moved, towards a wandering point.
return {
  query = { "dart", "transform" },
  update = function(q, dt)
    local x, y, d = q.transform.x, q.transform.y, q.dart
    local mx, my = input.mouse()
    if mx <= 0 or my <= 0 then
      mx, my = 640 + 480 * math.sin(world.time * 0.9), 490 + 100 * math.sin(world.time * 2.3)
    end
    for i = 1, q.count do
      local dx, dy = mx - x[i], my - y[i]
      local pull = (260 + 17 * d.pace[i]) / math.max(math.sqrt(dx * dx + dy * dy), 40)
      d.vx[i] = (d.vx[i] + dx * pull * dt * 3) * (1 - 0.9 * dt)
      d.vy[i] = (d.vy[i] + dy * pull * dt * 3) * (1 - 0.9 * dt)
      x[i], y[i] = x[i] + d.vx[i] * dt, y[i] + d.vy[i] * dt
    end
  end,
}
