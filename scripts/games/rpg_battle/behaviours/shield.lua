-- Blocks four hits (systems/wounds.lua), then breaks and detaches itself.
local parts = require "lib.parts"
return {
  fields = { left = shoal.types.i32(4) },
  block = function(self)
    local e = self.entity
    self.left = self.left - 1
    if self.left ~= 0 then return end -- the shield still holds, or an earlier hit of this tick has already broken it
    parts.detach(e, "shield")
    world.emit("burst", { kind = "broken", x = e.transform.x, y = e.transform.y - 24 })
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "shield") end,
}
