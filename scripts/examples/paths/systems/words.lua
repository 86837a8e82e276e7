-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8fa0c8")
    draw.text("Lanterns loop, ferries go back and forth, and a courier gets one path after another.",
      480, 512, 15, "center")
  end,
}
