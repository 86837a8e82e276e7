-- Draws the on-screen text. Systems in phase "render" cannot change the world.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(10)
    draw.text_style { outline = "#1d3a57", outline_width = 1 }
    draw.text("Coins " .. world.single.game.coins, 6, 3, 10)
    if world.time < 6 then draw.text("Arrow keys, and Space to jump", 160, 3, 10, "center") end
  end,
}
