-- A caption.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#e8ecf4")
    draw.text("Two peoples find their ways through gates that open and close.   Click: a house, or none.",
      640, 20, 17, "center")
  end,
}
