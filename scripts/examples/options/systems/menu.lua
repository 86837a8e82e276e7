-- The whole of the options.
return {
  phase = "input",
  update = function()
    if input.pressed("menu") then world.options() end
  end,
}
