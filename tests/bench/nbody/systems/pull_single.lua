return {
  query = { "star", "motion_single" },
  precision = "single",
  update = function(q, dt)
    local x, y, mass, vx, vy = q.star.x, q.star.y, q.star.mass, q.motion_single.vx, q.motion_single.vy
    for i = 1, q.count do
      local own_x, own_y, pull_x, pull_y = x[i], y[i], 0, 0
      for k = 1, q.count do
        local dx, dy = x[k] - own_x, y[k] - own_y
        local square = dx * dx + dy * dy + 25
        local pull = mass[k] / (square * math.sqrt(square))
        pull_x, pull_y = pull_x + dx * pull, pull_y + dy * pull
      end
      vx[i], vy[i] = vx[i] + pull_x * dt, vy[i] + pull_y * dt
    end
  end,
}
