-- A caption.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8fa0c8")
    draw.text("Fountains with several nozzles each: one component, many rows of it",
      640, 688, 17, "center")
  end,
}
