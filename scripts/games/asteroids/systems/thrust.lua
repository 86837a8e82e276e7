-- Accelerates thrusting ships in the direction of their nose, applies drag, and limits the speed.
return {
  after = { "steering" },
  query = { "transform", "motion", "intent", "engine" },
  update = function(q, dt)
    local angle, vx, vy = q.transform.angle, q.motion.vx, q.motion.vy
    local push, drag, top, thrust = q.engine.push, q.engine.drag, q.engine.top_speed, q.intent.thrust
    for i = 1, q.count do
      if thrust[i] then
        vx[i] = vx[i] + math.cos(angle[i]) * push[i] * dt
        vy[i] = vy[i] + math.sin(angle[i]) * push[i] * dt
      end
      local speed = math.sqrt(vx[i] * vx[i] + vy[i] * vy[i])
      local keep = (1 - drag[i] * dt) * (speed > top[i] and top[i] / speed or 1)
      vx[i], vy[i] = vx[i] * keep, vy[i] * keep
    end
  end,
}
