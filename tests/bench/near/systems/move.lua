return {
  phase = "pre_update",
  query = { "transform", "motion" },
  update = function(q, dt)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy
    for i = 1, q.count do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end,
}
