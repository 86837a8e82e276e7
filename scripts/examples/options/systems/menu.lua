-- Opens the options screen. No other code is needed.
return {
  phase = "input",
  update = function()
    if input.pressed("menu") then world.options() end
  end,
}
