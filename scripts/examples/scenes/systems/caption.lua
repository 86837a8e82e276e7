-- Draws the name of the scene's file, the keys and the number of coins.
local FILES = { shore = "scenes/shore.lua", summit = "scenes/summit.lua", cellar = "scenes/cellar.json" }

return {
  phase = "render",
  update = function()
    local purse = world.single.purse
    draw.space("screen")
    draw.colour(0, 0, 0, 0.45)
    draw.rect(0, 664, 1280, 56, true)
    draw.colour(1, 1, 1, 0.9)
    draw.text(FILES[purse.scene] or "", 40, 680, 20)
    draw.text("1, 2, 3: change the scene", 640, 680, 20, "center")
    draw.colour(1, 0.85, 0.4)
    draw.text(purse.coins .. " coins: singletons are kept", 1240, 680, 20, "right")
  end,
}
