-- Records the events of finished timers, tweens and animations.
local seen = require("lib.seen")

return {
  on = {
    hit = function(ev)
      for i = 1, ev.count do
        if ev.what[i]:find("^later") then
          seen.note(ev.what[i], ev.power[i], ev.who and ev.who[i] ~= shoal.none)
        end
      end
    end,
    animation_ended = function(ev)
      for i = 1, ev.count do
        seen.note("played", ev.clip[i], ev.entity[i]:alive())
      end
    end,
    tween_ended = function(ev)
      for i = 1, ev.count do
        seen.note("ended", ev.path[i], ev.entity[i]:alive())
      end
    end,
  },
}
