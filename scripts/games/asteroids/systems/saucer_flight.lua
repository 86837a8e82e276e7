-- Changes the vertical speed of saucers about once a second. A saucer that has crossed the field is destroyed; a mother
-- ship returns.
local tuning = require "tuning"
local sounds = require "lib.sounds"

return {
  after = { "guns" },
  query = { "saucer", "transform", "motion", "sound" },
  each = function(e, dt)
    local saucer, transform, motion = e.saucer, e.transform, e.motion
    saucer.turn_in = saucer.turn_in - dt
    if saucer.turn_in <= 0 then
      saucer.turn_in = 0.6 + 1.1 * world.random()
      motion.vy = (world.random(3) - 2) * saucer.speed * 0.8
    end
    transform.angle = transform.angle + (motion.vy * 0.0016 - transform.angle) * math.min(1, 6 * dt)
    if transform.y < -30 then transform.y =
      tuning.height + 30 elseif transform.y > tuning.height + 30 then transform.y = -30 end
    if motion.vx > 0 and transform.x > tuning.width + 45 or motion.vx < 0 and transform.x < -45 then
      if e:has("mother_ship") then motion.vx = -motion.vx else e:destroy() end
    end
    e.sound.pan = sounds.pan(transform.x)
    e.sound.volume = 0.3 * sounds.loudness()
  end,
}
