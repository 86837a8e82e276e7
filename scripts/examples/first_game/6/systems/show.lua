-- Draws the on-screen text. Systems in phase "render" cannot change the world.
return {
  phase = "render",
  when = { game = { phase = { "playing", "over" } } },
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#ffe9c4")
    draw.text("Night " .. world.single.game.night, 640, 24, 26, "center")
    draw.text("Best: " .. settings.best, 1248, 24, 26, "right")
    draw.text("Glow-worms: " .. world.single.game.score, 32, 24, 26)
  end,
}
