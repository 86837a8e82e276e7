-- The AI of the monster: once a second, it hits its target, and heals itself if it has spells. Draws the angry eyes and
-- the hit.
local console, pen = require "lib.console", require "lib.pen"

return {
  fields = { target = shoal.types.entity, clock = 0, hits = shoal.types.i32(0) },
  create = function() console.say("lives", 0) end,
  destroy = function() console.say("dies", 0) end,
  update = function(self, dt)
    if not console.second_passes(self, dt) then return end
    local e, target = self.entity, self.target
    if e:has("StatsPart") and target:alive() and target:has("StatsPart") then
      target.StatsPart.health = target.StatsPart.health - e.StatsPart.damage
      self.hits = self.hits + 1
      console.say("hits", target.StatsPart.health)
    end
    if e:has("SpellsPart") and e:has("StatsPart") then
      e.SpellsPart:castHeal()
      console.say("heals", e.StatsPart.health)
    end
  end,
  render = function(self)
    local x, y = pen.monster(self.entity)
    draw.layer(3)
    for side = -1, 1, 2 do
      local brow = { x + side * 12, y - 18, x + side * 54, y - 44, x + side * 56, y - 34, x + side * 13, y - 6 }
      pen.polygon(brow, "#2a1f2d")
    end
    local age = self.clock
    if self.hits == 0 or age > 0.45 then return end
    pen.bolt(262, 300, 1 - age / 0.45)
  end,
}
