-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8a93ad")
    draw.text("Breeds that are defined and changed at run time: world.define",
      640, 688, 17, "center")
  end,
}
