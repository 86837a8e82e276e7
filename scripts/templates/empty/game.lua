-- The game's settings and start. Shoal loads the other files of this folder automatically.
return {
  title = "thing",
  width = 1280, height = 720,
  start = function() -- runs once, when the game starts
    world.spawn("eye")
    world.spawn("words")
  end,
}
