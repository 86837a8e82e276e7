-- P, Escape or Start stop the clock and start it again; Q leaves a paused game. Input systems also run while the world
-- is paused.
return {
  phase = "input",
  update = function()
    local game = world.single.game
    if game.phase == "playing" then
      if input.pressed "pause" then
        game.phase = "paused"
        world.pause(true)
        audio.play("blip.wav", { volume = 0.5 })
      end
    elseif game.phase == "paused" then
      if input.pressed "leave" then
        world.pause(false)
        world.emit("go", { to = "title" })
      elseif input.pressed "pause" then
        game.phase = "playing"
        world.pause(false)
        audio.play("blip.wav", { volume = 0.5 })
      end
    end
  end,
}
