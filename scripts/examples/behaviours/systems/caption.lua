-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.colour(0.9, 0.85, 0.8)
    draw.text("behaviours/mouse.lua and behaviours/cat.lua: edit them while it runs. A click moves the cheese.",
      640, 684, 16, "center")
  end,
}
