-- A caption.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8fa0c8")
    draw.text("Lanterns go round, ferries to and fro, and a courier is given one path after the other.",
      480, 512, 15, "center")
  end,
}
