-- Blocks four hits (systems/wounds.lua), then breaks and detaches itself.
local parts = require "lib.parts"
return {
  create = function(self) self.entity.unit.armour = 4 end,
  update = function(self)
    local e = self.entity
    if e.unit.armour > 0 then return end
    parts.detach(e, "shield")
    world.emit("burst", { kind = "broken", x = e.transform.x, y = e.transform.y - 24 })
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "shield") end,
}
