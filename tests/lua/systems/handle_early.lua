-- Records `hit` events before the system of the tests runs.
local seen = require("lib.seen")

return {
  priority = -1000,
  on = {
    hit = function(ev)
      for i = 1, ev.count do
        seen.note("early", ev.what[i], ev.power[i])
      end
    end,
  },
}
