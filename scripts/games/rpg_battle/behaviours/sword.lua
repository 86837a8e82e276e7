-- Strikes the unit's target when it is within reach.
local parts = require "lib.parts"
return {
  fields = { wait = 0.2 },
  strike = function(self, target) world.emit("hurt", { target = target, points = self.entity.attack.damage }) end,
  update = function(self, dt)
    local target = parts.ready(self, dt)
    if target then self:strike(target) end
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "sword") end,
}
