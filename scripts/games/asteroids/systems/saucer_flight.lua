-- Changes the vertical speed of saucers about once a second. A saucer that has crossed the field is destroyed.
local tuning = require "tuning"
local sounds = require "lib.sounds"

return {
  after = { "guns" },
  query = { "saucer", "transform", "motion", "sound" },
  each = function(e, dt)
    local saucer, t, m = e.saucer, e.transform, e.motion
    saucer.turn_in = saucer.turn_in - dt
    if saucer.turn_in <= 0 then
      saucer.turn_in = 0.6 + 1.1 * world.random()
      m.vy = (world.random(3) - 2) * saucer.speed * 0.8
    end
    t.angle = t.angle + (m.vy * 0.0016 - t.angle) * math.min(1, 6 * dt)
    if t.y < -30 then t.y = tuning.height + 30 elseif t.y > tuning.height + 30 then t.y = -30 end
    if m.vx > 0 and t.x > tuning.width + 45 or m.vx < 0 and t.x < -45 then e:destroy() end
    e.sound.pan = sounds.pan(t.x)
    e.sound.volume = 0.3 * sounds.loudness()
  end,
}
