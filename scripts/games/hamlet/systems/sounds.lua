-- Plays the music of the room.
return {
  phase = "post_update",
  every = 20,
  update = function() music.play(world.single.play.place) end,
}
