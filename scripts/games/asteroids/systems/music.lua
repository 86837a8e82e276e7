-- Selects the music's section: softer while the player plays.
return {
  phase = "post_update",
  every = 30,
  update = function()
    music.play("theme", { section = world.single.game.phase == "playing" and "playing" or "title" })
  end,
}
