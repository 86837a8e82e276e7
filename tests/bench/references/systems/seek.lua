return {
  query = { "seeker" },
  each = function(e, dt)
    local s, target = e.seeker, e.seeker.target
    if target and target.seeker then
      local dx, dy = target.seeker.x - s.x, target.seeker.y - s.y
      s.vx, s.vy = s.vx + dx * dt, s.vy + dy * dt
    end
  end,
}
