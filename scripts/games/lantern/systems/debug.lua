return {
  phase = "input",
  update = function()
    if input.pressed "boxes" then world.single.debug.boxes = not world.single.debug.boxes end
  end,
}
