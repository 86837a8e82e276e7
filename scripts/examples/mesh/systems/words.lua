-- A caption.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8fa0c8")
    draw.text("Things in space, beside everything else.   Arrows, WASD or the mouse: look around.",
      640, 688, 17, "center")
  end,
}
