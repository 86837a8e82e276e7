-- A caption.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8a93ad")
    draw.text("Flocks whose kinds the program makes while it runs, and changes: world.define",
      640, 688, 17, "center")
  end,
}
