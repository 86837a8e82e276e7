-- Lifts its entity out of reach of swords while attached.
local parts = require "lib.parts"
return {
  create = function(self) self.entity.unit.lift = 66 end,
  destroy = function(self)
    if self.entity:alive() then self.entity.unit.lift = 0 end
    parts.drop(self)
  end,
  render = function(self) parts.draw(self.entity, "wings") end,
}
