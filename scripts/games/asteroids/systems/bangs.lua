-- Plays the sound of each explosion.
local sounds = require "lib.sounds"

return {
  phase = "post_update",
  after = { "rock_breaks", "saucer_breaks", "ship_breaks" },
  on = {
    explosion = function(ev)
      for i = 1, ev.count do
        local power, x = ev.power[i], ev.x[i]
        if power >= 1 then sounds.play("break_up.wav", 0.8, x)
        elseif power > 0.6 then sounds.play("bang_large.wav", 0.68, x)
        elseif power > 0.4 then sounds.play("bang_medium.wav", 0.58, x)
        else sounds.play("bang_small.wav", 0.5, x) end
      end
    end,
  },
}
