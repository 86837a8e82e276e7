return {
  query = { "spark" },
  each = function(e, dt)
    local s = e.spark
    s.age = s.age + dt
    s.x, s.y, s.vy = s.x + s.vx * dt, s.y + s.vy * dt, s.vy + 9.75 * dt
    if s.age >= s.life then e:destroy() end
  end,
}
