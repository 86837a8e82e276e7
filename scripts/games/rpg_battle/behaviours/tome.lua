-- Summons an imp every few seconds, unless its side already has MAX imps.
local parts = require "lib.parts"
local EVERY, MAX = 4.5, 4
return {
  fields = { wait = 1.2 },
  update = function(self, dt)
    local e, imps = self.entity, 0
    if not parts.is_due(self, dt) then return end
    for other in world.each("unit") do
      if other.unit.side == e.unit.side and other:assemblage() == "imp" then imps = imps + 1 end
    end
    self.wait = EVERY
    if imps >= MAX then return end
    local x, y = e.transform.x + e.unit.side * 46, e.transform.y + world.random(-40, 40)
    e.unit.lunge = 0.8
    world.spawn("imp", { transform = { x = x, y = y }, unit = { side = e.unit.side, home_x = x, home_y = y } })
    world.emit("burst", { kind = "summon", x = x, y = y - 16 })
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "tome") end,
}
