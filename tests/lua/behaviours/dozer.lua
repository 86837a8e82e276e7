-- A behaviour that records the calls to its functions, and counts its updates.
local seen = require("lib.seen")

return {
  fields = { steps = 0 },
  create = function(self) seen.note("dozer create", self.steps) end,
  enable = function(self) seen.note("dozer enable", self.steps) end,
  disable = function(self) seen.note("dozer disable", self.steps) end,
  update = function(self) self.steps = self.steps + 1 end,
  destroy = function() seen.note("dozer destroy") end,
  on = { poke = function() seen.note("dozer poked") end },
}
