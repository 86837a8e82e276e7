-- Makes the drops fall. `precision = "single"` calculates with 32 bits instead of 64, which is faster in native code.
return {
  query = { "drop", "transform" },
  precision = "single",
  update = function(q, dt)
    local drop, transform = q.drop, q.transform
    for i = 1, q.count do
      drop.vy[i] = drop.vy[i] + 520 * dt
      transform.x[i] = transform.x[i] + drop.vx[i] * dt
      transform.y[i] = transform.y[i] + drop.vy[i] * dt
    end
  end,
}
