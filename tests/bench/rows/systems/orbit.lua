local PULL = 1000

return {
  query = { "orbiter" },
  update = function(q, dt)
    local c = q.orbiter
    for i = 1, q.count do
      local dx, dy = 500 - c.x[i], 350 - c.y[i]
      local square = dx * dx + dy * dy + 1
      local pull = PULL / (square * math.sqrt(square)) * dt
      c.vx[i] = c.vx[i] + dx * pull
      c.vy[i] = c.vy[i] + dy * pull
    end
  end,
}
