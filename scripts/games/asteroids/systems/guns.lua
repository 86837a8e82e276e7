-- Fires bullets according to the pilot's intent. The gun limits the rate of fire and the number of bullets in flight.
local sounds = require "lib.sounds"

return {
  after = { "thrust" },
  queries = { guns = { "transform", "motion", "intent", "gun" }, bullets = { "bullet", without = { "hazard" } } },
  update = function(q, dt)
    local transform, motion, gun, fire = q.guns.transform, q.guns.motion, q.guns.gun, q.guns.intent.fire
    for i = 1, q.guns.count do
      gun.wait[i] = math.max(0, gun.wait[i] - dt)
      if fire[i] and gun.wait[i] == 0 and q.bullets.count < gun.bullets[i] then
        gun.wait[i] = gun.interval[i]
        local dx, dy = math.cos(transform.angle[i]), math.sin(transform.angle[i])
        world.spawn("bullet", {
          transform = { x = transform.x[i] + dx * 17, y = transform.y[i] + dy * 17, angle = transform.angle[i] },
          motion = { vx = motion.vx[i] + dx * gun.speed[i], vy = motion.vy[i] + dy * gun.speed[i] },
          lifetime = { seconds = gun.reach[i] },
        })
        motion.vx[i], motion.vy[i] = motion.vx[i] - dx * 4, motion.vy[i] - dy * 4 -- the ship recoils
        sounds.play("fire.wav", 0.42, transform.x[i])
      end
    end
  end,
}
