-- Plays the heartbeat: two alternating tones, which speed up as rocks are destroyed.
local tuning = require "tuning"
local sounds = require "lib.sounds"

return {
  phase = "post_update",
  when = { game = { phase = { "playing", "demo" } } },
  query = { "rock" },
  update = function(q, dt)
    local wave = world.single.wave
    if q.count == 0 or wave.total == 0 then return end
    wave.beat_in = wave.beat_in - dt
    if wave.beat_in > 0 then return end
    local weight_left = 0
    for i = 1, q.count do weight_left = weight_left + tuning.rocks[q.rock.size[i]].weight end
    wave.beat_in = 0.27 + 0.75 * math.min(1, weight_left / wave.total)
    wave.beat_high = not wave.beat_high
    sounds.play(wave.beat_high and "beat_high.wav" or "beat_low.wav", 0.55)
  end,
}
