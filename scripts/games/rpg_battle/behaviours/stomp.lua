-- The giant's own attack: every few seconds it raises a foot and stamps, which hurts all enemies within REACH. The foot
-- stays up for RAISED seconds, in which enemies can step back (systems/minds.lua, systems/draw_words.lua).
local parts = require "lib.parts"
-- PERIOD: seconds between stamps; REACH, AWAKE: maximum distances of enemies and target (pixels); POWER: damage factor
local PERIOD, RAISED, REACH, POWER, AWAKE = 6, 1.6, 150, 1.5, 200
return {
  fields = { wait = 2, raised = 0 }, -- wait: seconds until the foot is raised; raised: seconds until it stamps
  stamp = function(self)
    local e = self.entity
    for enemy in world.each("unit", "health") do
      if enemy.unit.side ~= e.unit.side and parts.can_fight(enemy) and parts.far(e, enemy) < REACH then
        world.emit("hurt", { target = enemy, points = e.attack.damage * POWER, kind = "stomp" })
      end
    end
    e.pose.lunge = 1
    world.emit("burst", { kind = "stomp", x = e.transform.x, y = e.transform.y })
  end,
  update = function(self, dt)
    local e = self.entity
    if self.raised > 0 then
      self.raised = self.raised - dt
      if self.raised <= 0 and world.single.match.phase == "battle" then self:stamp() end
    elseif parts.is_due(self, dt) and parts.can_fight(e.unit.target) and parts.far(e, e.unit.target) < AWAKE then
      self.wait, self.raised = PERIOD, RAISED
    end
  end,
  render = function(self)
    if self.raised <= 0 then return end
    local transform = self.entity.transform
    draw.layer(98)
    draw.colour(0.63, 0.17, 0.17, 0.3)
    draw.circle(transform.x, transform.y, REACH * (1 - self.raised / RAISED))
    draw.colour("#a02c2c")
    draw.circle(transform.x, transform.y, REACH, false, 3)
  end,
}
