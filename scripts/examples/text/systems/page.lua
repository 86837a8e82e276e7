-- Draws the paper behind the text.
return {
  phase = "render",
  update = function()
    draw.layer(-1)
    draw.colour("#1d2134")
    draw.rect(40, 24, 580, 644)
    draw.rect(660, 24, 580, 644)
    draw.colour("#2c3350")
    draw.line(70, 392, 590, 392, 1)
    draw.line(70, 520, 590, 520, 1)
    draw.line(690, 366, 1210, 366, 1)
  end,
}
