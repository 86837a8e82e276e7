-- This is all the code of the options screen.
return {
  phase = "input",
  update = function()
    if input.pressed("menu") then world.options() end
  end,
}
