-- Gives the monster a spell that heals it. Draws the spell's orbs, and rising plus signs after it heals.
local pen = require "lib.pen"

return {
  fields = { healRate = 5, rest = 0, doc = "rest: seconds for which the picture still shows the heal" },
  castHeal = function(self)
    local stats = self.entity.StatsPart
    stats.health = stats.health + self.healRate
    self.rest = 0.7
  end,
  update = function(self, dt) self.rest = math.max(0, self.rest - dt) end,
  render = function(self)
    local x, y = pen.monster(self.entity)
    local glow = self.rest / 0.7
    for i = 1, 5 do
      local angle = world.time * 1.6 + i * 1.2566
      local front = math.sin(angle) > 0
      draw.layer(front and 3 or -1)
      pen.disc(x + math.cos(angle) * (118 + 14 * glow), y + 30 + math.sin(angle) * 34, 8 + 4 * glow, "#9af0a8")
    end
    draw.layer(3)
    for i = 1, 7 do -- plus signs that rise
      local px, py = x - 96 + i * 27 + 8 * math.sin(i * 5), y + 70 - (1 - glow) * (90 + 25 * (i % 3)) - 14 * (i % 2)
      draw.colour(0.56, 1, 0.62, glow)
      draw.rect(px - 3, py - 10, 6, 20)
      draw.rect(px - 10, py - 3, 20, 6)
    end
  end,
}
