-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#10203090")
    draw.rect(140, 336, 360, 18)
    draw.colour("#ffffff")
    draw.text("A Tiled map.   Arrows or WASD: walk.   Space: plant flowers.",
      320, 339, 11, "center")
  end,
}
