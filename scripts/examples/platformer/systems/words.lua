-- Draws the number of coins, a caption, and a message at the end of the level.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    local purse = world.single.purse
    draw.space("screen")
    draw.layer(20)
    draw.colour(0.02, 0.03, 0.06, 0.7) -- darkens the background, so that the text is legible in front of the clouds
    draw.rect(4, 4, 68, 20)
    draw.colour("#ffffff")
    draw.image("coin.png", 14, 14, 0, 1, 1, 1)
    draw.text(purse.coins .. " of " .. purse.of, 24, 8, 10)
    if purse.won then
      draw.colour(0, 0, 0, 0.55)
      draw.rect(0, 26, 320, 40)
      draw.colour("#ffe27a")
      draw.text("You reached the flag!", 160, 36, 18, "center")
    end
    caption.draw("[prompt=left] [prompt=right]: walk   [prompt=jump]: jump   Jump on slimes, and find the flag",
      { width = 320, height = 180, enlarged = true })
  end,
}
