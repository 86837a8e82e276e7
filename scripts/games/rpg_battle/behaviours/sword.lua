-- Strikes the unit's target when it is within reach.
local parts = require "lib.parts"
return {
  fields = { wait = 0.2 },
  update = function(self, dt)
    local foe = parts.ready(self, dt)
    if foe then world.emit("hurt", { target = foe, points = self.entity.unit.damage }) end
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "sword") end,
}
