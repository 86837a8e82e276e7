-- Draws the on-screen text. Systems in phase "render" cannot change the world.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#ffe9c4")
    draw.text("Glow-worms: " .. world.single.game.score, 32, 24, 26)
  end,
}
