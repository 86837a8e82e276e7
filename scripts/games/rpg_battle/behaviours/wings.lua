-- Lifts its entity into the air while attached. Units with swords then prefer other targets (systems/minds.lua).
local parts = require "lib.parts"
return {
  create = function(self) self.entity.unit.lift = 66 end,
  destroy = function(self)
    if self.entity:alive() then self.entity.unit.lift = 0 end
    parts.drop(self)
  end,
  render = function(self) parts.draw(self.entity, "wings") end,
}
