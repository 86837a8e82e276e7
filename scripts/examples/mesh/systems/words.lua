-- Draws a caption over the scene.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(100)
    draw.colour("#8fa0c8")
    draw.text("3D meshes in a 2D game.   Arrows, WASD or the mouse: look around.",
      640, 688, 17, "center")
  end,
}
