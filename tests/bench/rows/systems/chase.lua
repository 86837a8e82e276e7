return {
  query = { "hunter" },
  update = function(q, dt)
    local c, other = q.hunter, world.lookup("hunter")
    for i = 1, q.count do
      local x = other.x[c.prey[i]]
      if x then
        local dx, dy = x - c.x[i], other.y[c.prey[i]] - c.y[i]
        local far = math.sqrt(dx * dx + dy * dy)
        if far > 1 then
          c.vx[i] = c.vx[i] + dx / far * dt
          c.vy[i] = c.vy[i] + dy / far * dt
        end
      end
    end
  end,
}
