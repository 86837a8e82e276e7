-- Draws the on-screen text. Systems in phase "render" cannot change the world.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(10)
    draw.colour("#dfe6ff")
    draw.text("Score " .. world.single.game.score, 24, 18, 28)
    draw.text("Lives " .. world.single.game.lives, 696, 18, 28, "right")
    if world.time < 6 then draw.text("Arrow keys, and Space to fire", 360, 860, 20, "center") end
  end,
}
