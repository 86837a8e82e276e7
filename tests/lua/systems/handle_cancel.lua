-- Runs after the system of the tests, and cancels or edits events as requested by their fields.
local seen = require("lib.seen")

return {
  priority = 200000,
  on = {
    hit = function(ev, dt)
      seen.handler_dt = dt
      for i = 1, ev.count do
        if ev.what[i] == "cancel" then
          ev.cancelled[i] = true
        end
        if ev.what[i] == "harder" then
          ev.power[i] = ev.power[i] * 2
        end
      end
      if seen.want.event_problems then
        seen.event_problems = {
          select(2, pcall(function() return ev.power[ev.count + 1] end)),
          select(2, pcall(function() return ev.strength[1] end)),
          select(2, pcall(function() ev.power = 5 end)),
        }
      end
    end,
  },
}
