-- Pushes ships along their nose, slows them a little, and throws exhaust out behind.
local function exhaust(x, y, angle, vx, vy)
  world.spawn_many("spark", 2, function(q)
    for i = 1, 2 do
      local a = angle + math.pi + (world.random() - 0.5) * 0.6
      local speed = 150 + 170 * world.random()
      local life = 0.22 + 0.3 * world.random()
      q.transform.x[i], q.transform.y[i], q.transform.angle[i] = x - math.cos(angle) * 12, y - math.sin(angle) * 12, a
      q.motion.vx[i], q.motion.vy[i] = vx + math.cos(a) * speed, vy + math.sin(a) * speed
      q.particle.life[i], q.particle.peak[i], q.lifetime.seconds[i] = life, 0.75, life
      local c = q.shape.colour
      c.x[i], c.y[i], c.z[i] = 1.7, 0.5 + 0.7 * world.random(), 0.15
    end
  end)
end

return {
  after = { "steering" },
  query = { "transform", "motion", "intent", "engine" },
  update = function(q, dt)
    local x, y, angle, vx, vy = q.transform.x, q.transform.y, q.transform.angle, q.motion.vx, q.motion.vy
    local push, drag, top, thrust = q.engine.push, q.engine.drag, q.engine.top_speed, q.intent.thrust
    for i = 1, q.count do
      if thrust[i] then
        vx[i] = vx[i] + math.cos(angle[i]) * push[i] * dt
        vy[i] = vy[i] + math.sin(angle[i]) * push[i] * dt
        exhaust(x[i], y[i], angle[i], vx[i], vy[i])
      end
      local speed = math.sqrt(vx[i] * vx[i] + vy[i] * vy[i])
      local keep = (1 - drag[i] * dt) * (speed > top[i] and top[i] / speed or 1)
      vx[i], vy[i] = vx[i] * keep, vy[i] * keep
    end
  end,
}
