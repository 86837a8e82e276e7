-- A behaviour that records events, but only those that refer to its entity.
local seen = require("lib.seen")

return {
  fields = { heard = 0 },
  on = {
    poked = function(self, ev)
      self.heard = self.heard + 1
      seen.note("ear", self.entity:name(), ev.by:name(), ev.hard, ev.at.x, ev.at.y)
      ev.hard = 0 -- changes only this handler's copy of the event
    end,
  },
}
