-- Draws the name of the scene's file, the keys and the number of coins.
local caption = require "caption"
local FILES = { shore = "scenes/shore.lua", summit = "scenes/summit.lua", cellar = "scenes/cellar.json" }

return {
  phase = "render",
  update = function()
    local purse = world.single.purse
    caption.draw("[prompt=one] [prompt=two] [prompt=three]: change the scene",
      { left = FILES[purse.scene] or "", right = "coins: " .. purse.coins .. " (a singleton is kept)" })
  end,
}
