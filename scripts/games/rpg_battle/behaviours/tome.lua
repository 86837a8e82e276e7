-- Summons an imp every few seconds, unless its side already has MAX imps.
local parts = require "lib.parts"
local PERIOD, MAX = 4.5, 4 -- PERIOD: seconds between two imps
local function count_imps(side)
  local count = 0
  for e in world.each("unit") do
    if e.unit.side == side and e:assemblage() == "imp" then count = count + 1 end
  end
  return count
end
return {
  fields = { wait = 1.2 },
  summon = function(self)
    local e, side = self.entity, self.entity.unit.side
    local x, y = e.transform.x + side * 46, e.transform.y + world.random(-40, 40)
    e.pose.lunge = 0.8
    world.spawn("imp", { transform = { x = x, y = y }, unit = { side = side, home_x = x, home_y = y } })
    world.emit("burst", { kind = "summon", x = x, y = y - 16 })
  end,
  update = function(self, dt)
    if not parts.is_due(self, dt) then return end
    self.wait = PERIOD
    if count_imps(self.entity.unit.side) < MAX then self:summon() end
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "tome") end,
}
