-- Draws hearts, items, the remaining time of the cloak, the name of a room when the hero enters it, and the fade
-- between rooms.
local rooms = require "lib.rooms"

return {
  phase = "render",
  update = function()
    local play, quest, travel = world.single.play, world.single.quest, world.single.travel
    draw.space("screen")
    draw.layer(20)
    draw.font("pixels.ttf")
    if travel.dark > 0 then
      draw.colour(0.055, 0.043, 0.086, travel.dark)
      draw.rect(window.area())
    end
    if not play.hero:alive() or play.phase == "title" or play.phase == "won" then return end
    local health = play.hero.health
    draw.colour(1, 1, 1)
    for i = 1, health.max / 2 do
      local half_hearts = health.hp - 2 * (i - 1)
      draw.image("heart.png", 2 + i * 12, 18, 0, 1, 1, half_hearts >= 2 and 1 or half_hearts == 1 and 2 or 3)
    end
    if quest.fireball then draw.image("fireball.png", 300, 14, 0, 1, 1, 1) end
    if quest.key then draw.image("key.png", 284, 14) end
    if play.hero:has "ghost" then
      draw.colour("#62bbd6")
      draw.rect(9, 24, 6 * health.max * math.max(0, play.hero.ghost.left / 7), 3)
    end
    local elapsed = (world.tick - travel.at) / 60
    if elapsed > 2.6 or travel.at == 0 then return end
    draw.colour(0.95, 0.92, 0.82, math.min(1, elapsed * 2, (2.6 - elapsed) * 2))
    draw.text_style { outline = "#0e0b16", outline_width = 1 }
    draw.text(tr("rooms." .. rooms.name()), 160, 26, 16, "center")
    draw.text_style()
  end,
}
