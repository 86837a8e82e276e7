-- Of the allies nearby, heals the one with the lowest fraction of its health, if that fraction is below 80 %. While
-- there is such an ally, disables the wand of its entity.
local parts = require "lib.parts"
local FAR, POINTS = 420, 2.6
return {
  fields = { wait = 1, heals = false },
  update = function(self, dt)
    local e, worst, min_share = self.entity, nil, 0.8
    for other in world.each("unit") do
      local share = other.unit.hp / other.unit.max
      if other.unit.side == e.unit.side and share < min_share and parts.far(e, other) < FAR then
        worst, min_share = other, share
      end
    end
    if self.heals ~= (worst ~= nil) then
      self.heals = worst ~= nil
      if self.heals then e:disable("wand") else e:enable("wand") end
    end
    if not parts.is_due(self, dt) or not worst then return end
    self.wait, e.unit.lunge = 1.5, 0.6
    world.emit("hurt", { target = worst, points = -e.unit.damage * POINTS, kind = "heal" })
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "staff") end,
}
