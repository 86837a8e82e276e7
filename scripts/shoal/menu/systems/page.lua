-- Draws the menu: the name, what went wrong if anything did, and the games.
local layout = require("layout")

local function draw_games(games)
  for i, game in ipairs(games) do
    local y = layout.first + (i - 1) * layout.step
    local chosen = i == world.single.choice.index
    if chosen then
      local glow = 0.7 + 0.3 * math.sin(world.time * 4)
      draw.colour(0.15, 0.75, 1, 0.10 + 0.06 * glow)
      draw.rect(390, y - 24, 500, 48)
      draw.colour(0.25, 0.85, 1, glow)
      draw.rect(390, y - 24, 4, 48)
    end
    draw.colour(chosen and 1 or 0.6, chosen and 1 or 0.72, chosen and 1 or 0.82, 1)
    draw.text(game.title, 640, y - 16, 28, "center")
  end
end

local function draw_nothing_here()
  draw.colour(0.8, 0.88, 0.95, 1)
  draw.text("There are no games here yet.", 640, layout.first - 12, 26, "center")
  draw.colour(0.5, 0.62, 0.72, 1)
  draw.text("A game is a folder in scripts/games with a game.lua in it.", 640, layout.first + 30, 20, "center")
end

return {
  phase = "render",
  update = function()
    local games = menu.games()
    draw.space("screen")
    draw.layer(100)
    draw.colour(0.75, 0.95, 1, 1)
    draw.text("SHOAL", 640, 120, 112, "center")
    draw.colour(0.45, 0.65, 0.78, 1)
    draw.text("type Lua, get SIMD; break anything, lose nothing; ask the world anything", 640, 246, 19, "center")
    if menu.message ~= "" then
      draw.colour(1, 0.72, 0.35, 1)
      draw.text(menu.message, 640, 296, 22, "center", 900)
    end
    if #games == 0 then
      draw_nothing_here()
    else
      draw_games(games)
    end
    draw.colour(0.4, 0.52, 0.62, 1)
    draw.text("up / down   choose with Enter   Esc leaves", 640, 668, 18, "center")
  end,
}
