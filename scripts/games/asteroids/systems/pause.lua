-- P, Escape or Start pauses and resumes the game; Q leaves a paused game. Systems in the input phase also run while the
-- world is paused.
return {
  phase = "input",
  when = { game = { phase = { "playing", "paused" } } },
  update = function()
    local game = world.single.game
    local paused = game.phase == "paused"
    if paused and input.pressed "leave" then
      world.pause(false)
      world.emit("go", { to = "title" })
    elseif input.pressed "pause" then
      game.phase = paused and "playing" or "paused"
      world.pause(not paused)
      audio.play("blip.wav", { volume = 0.5 })
    end
  end,
}
