-- Says when it is switched on and off.
local seen = require("lib.seen")

return {
  state = { steps = 0 },
  create = function(self) seen.note("dozer create", self.state.steps) end,
  enable = function(self) seen.note("dozer enable", self.state.steps) end,
  disable = function(self) seen.note("dozer disable", self.state.steps) end,
  update = function(self) self.state.steps = self.state.steps + 1 end,
  destroy = function() seen.note("dozer destroy") end,
  on = { poke = function() seen.note("dozer poked") end },
}
