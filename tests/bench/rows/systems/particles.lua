return {
  query = { "spark" },
  update = function(q, dt)
    local c = q.spark
    for i = 1, q.count do
      local part = math.max(c.left[i] / c.life[i], 0)
      c.alpha[i] = c.peak[i] * part
      if c.shrinks[i] then
        c.scale[i] = 0.25 + 0.5 * part
      end
      local keep = 1 - c.drag[i] * dt
      c.vx[i] = c.vx[i] * keep
      c.vy[i] = c.vy[i] * keep
    end
  end,
}
