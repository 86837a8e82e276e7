-- What the game is. Shoal finds the other files of this folder by itself.
return {
  title = "thing",
  width = 1280, height = 720,
  start = function() -- once, when the game begins
    world.spawn("eye")
    world.spawn("words")
  end,
}
