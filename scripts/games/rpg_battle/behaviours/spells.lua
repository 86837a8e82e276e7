-- Heals the nearby ally with the lowest fraction of its maximum health, if that is below 80 %. Meanwhile, the entity's
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
    local e, patient, min_share = self.entity, nil, 0.8
    for ally in world.each("unit", "health") do
      local share = ally.health.points / ally.health.max
      if ally.unit.side == e.unit.side and share < min_share and parts.far(e, ally) < FAR then
        patient, min_share = ally, share
      end
    end
    if e:has("wand") and self.heals ~= (patient ~= nil) then
      self.heals = patient ~= nil
      if self.heals then e:disable("wand") else e:enable("wand") end
    end
    if parts.is_due(self, dt) and patient then self:cast_heal(patient) end
  end,
  destroy = parts.drop,
  render = function(self) parts.draw(self.entity, "spells") end,
}
