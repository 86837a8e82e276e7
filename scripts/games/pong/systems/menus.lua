-- The pause and the options; they are heard while the game stands still, too.
return {
  phase = "input",
  update = function()
    local match = world.single.match
    if input.pressed("pause") and match.players > 0 and match.phase ~= "title" and match.phase ~= "over" then
      world.spawn("pause_menu", { name = "pause" })
      world.pause(true)
    end
  end,
  on = {
    resume = function()
      world.find("pause"):destroy()
      world.pause(false)
    end,
    options = function() world.spawn("options_menu") end,
    close_options = function() world.find("options"):destroy() end,
  },
}
