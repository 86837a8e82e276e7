-- Keeps the drone going: softer while there is something to listen for.
return {
  phase = "post_update",
  every = 30,
  update = function()
    audio.music("music.wav", world.single.game.phase == "playing" and 0.22 or 0.34, 2)
  end,
}
