-- Records the events of finished sequences.
local seen = require("lib.seen")

return {
  on = {
    sequence_ended = function(ev)
      for i = 1, ev.count do
        seen.note("end of", ev.sequence[i], ev.entity[i]:alive())
      end
    end,
  },
}
