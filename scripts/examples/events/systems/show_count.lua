-- Draws the number of bursts and a caption.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.colour(1, 1, 1, 0.5)
    draw.text(world.single.sky.bursts .. " bursts", 24, 20, 22)
    draw.space("screen")
    draw.layer(9)
    draw.blend("alpha")
    draw.colour(0.6, 0.65, 0.75)
    draw.text("One system emits `burst`; others handle it: sparks, sky, count.", 640, 690, 16, "center")
  end,
}
