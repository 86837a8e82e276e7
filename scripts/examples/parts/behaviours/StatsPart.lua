-- Health and damage of a monster or of a villager. Draws the health as a bar.
local pen = require "lib.pen"

return {
  fields = { health = 50, damage = 0 },
  render = function(self)
    local is_monster = self.entity:has("pose")
    local x, y, most = is_monster and 886 or 262, is_monster and 96 or 150, is_monster and 100 or 50
    local share = math.max(0, math.min(1, self.health / most))
    draw.layer(4)
    pen.box(x - 70, y, 140, 18, 9, "#2a1f2d")
    local colour = share > 0.35 and "#6fbf5a" or "#d8452f"
    if share > 0 then pen.box(x - 67, y + 3, math.max(12, 134 * share), 12, 6, colour) end
  end,
}
