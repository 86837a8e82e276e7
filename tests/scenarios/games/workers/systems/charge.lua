-- Updates rows whose order differs between components, with columns of every element size.
return {
  after = "drift",
  query = { "motion", "charge" },
  precision = "single",
  update = function(q, dt)
    local vx, vy, charge = q.motion.vx, q.motion.vy, q.charge
    for i = 1, q.count do
      charge.value[i] = math.sqrt(vx[i] * vx[i] + vy[i] * vy[i]) + charge.value[i] * 0.9
      charge.exact[i] = charge.exact[i] + charge.value[i] * dt
      charge.ticks[i] = charge.ticks[i] + 1
      charge.bright[i] = charge.value[i] > 100
    end
  end,
}
