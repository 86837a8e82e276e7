return {
  phase = "render",
  update = function()
    draw.colour(0.3, 0.5, 0.9, 0.8)
    draw.line(0, 701, 1280, 701, 2)
  end,
}
