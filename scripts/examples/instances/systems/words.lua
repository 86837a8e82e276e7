-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8fa0c8")
    draw.text("Fountains with several nozzles: one component, many rows per entity",
      640, 688, 17, "center")
  end,
}
