-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#e8ecf4")
    draw.text("Two groups find their way through gates that open and close.   Click: add or remove a house.",
      640, 20, 17, "center")
  end,
}
