-- Fires bullets according to the pilot's intent. The gun limits the rate of fire and the number of bullets in flight.
local sounds = require "lib.sounds"

return {
  after = { "thrust" },
  queries = { guns = { "transform", "motion", "intent", "gun" }, bullets = { "bullet", without = { "hazard" } } },
  update = function(q, dt)
    local t, m, gun, fire = q.guns.transform, q.guns.motion, q.guns.gun, q.guns.intent.fire
    for i = 1, q.guns.count do
      gun.wait[i] = math.max(0, gun.wait[i] - dt)
      if fire[i] and gun.wait[i] == 0 and q.bullets.count < gun.bullets[i] then
        gun.wait[i] = gun.interval[i]
        local dx, dy = math.cos(t.angle[i]), math.sin(t.angle[i])
        world.spawn("bullet", {
          transform = { x = t.x[i] + dx * 17, y = t.y[i] + dy * 17, angle = t.angle[i] },
          motion = { vx = m.vx[i] + dx * gun.speed[i], vy = m.vy[i] + dy * gun.speed[i] },
          lifetime = { seconds = gun.reach[i] },
        })
        m.vx[i], m.vy[i] = m.vx[i] - dx * 4, m.vy[i] - dy * 4 -- the ship recoils
        sounds.play("fire.wav", 0.42, t.x[i])
      end
    end
  end,
}
