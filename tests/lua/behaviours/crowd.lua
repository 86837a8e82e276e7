-- A behaviour that records events about any entity (`any`).
local seen = require("lib.seen")

return {
  any = true,
  on = {
    poked = function(self, ev)
      seen.note("crowd", self.entity:name(), ev.whom:alive() and ev.whom:name() or "dead")
    end,
    bell = function(self, ev)
      seen.note("bell", self.entity:name(), ev.number)
    end,
  },
}
