-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#9a8fb8")
    draw.text("12,000 stars, moved by loops in single precision: arithmetic that becomes SIMD",
      640, 688, 17, "center")
  end,
}
