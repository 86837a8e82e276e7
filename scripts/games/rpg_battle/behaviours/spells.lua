-- Heals the nearby ally with the lowest share of its maximum health, if that is below 80 %. Meanwhile, the entity's
-- wand, if it has one, is disabled.
local parts = require "lib.parts"
local FAR, POWER, PERIOD = 420, 2.6, 1.5 -- FAR: pixels; POWER: healed points per point of damage; PERIOD: seconds
return {
  fields = { wait = 1, heals = false },
  cast_heal = function(self, target)
    self.wait, self.entity.pose.lunge = PERIOD, 0.6
    world.emit("hurt", { target = target, points = -self.entity.attack.damage * POWER, kind = "heal" })
  end,
  update = function(self, dt)
    local e, worst, min_share = self.entity, nil, 0.8
    for other in world.each("unit", "health") do
      local share = other.health.points / other.health.max
      if other.unit.side == e.unit.side and share < min_share and parts.far(e, other) < FAR then
        worst, min_share = other, share
      end
    end
    if e:has("wand") and self.heals ~= (worst ~= nil) then
      self.heals = worst ~= nil
      if self.heals then e:disable("wand") else e:enable("wand") end
    end
    if parts.is_due(self, dt) and worst then self:cast_heal(worst) end
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "spells") end,
}
