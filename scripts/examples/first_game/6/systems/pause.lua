-- Pauses and resumes the game. Systems in phase "input" also run while the game is paused.
return {
  phase = "input",
  update = function()
    if input.pressed("pause") and world.count("rest") == 0 and world.single.game.phase == "playing" then
      world.spawn("rest")
      world.pause(true)
    end
  end,
  on = {
    go_on = function(ev)
      for i = 1, ev.count do ev.entity[i]:parent():destroy() end
      world.pause(false)
    end,
    leave = function() world.quit() end,
    options = function() world.options() end,
  },
}
