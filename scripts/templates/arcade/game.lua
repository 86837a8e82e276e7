-- What the game is. Shoal finds the other files of this folder by itself.
return {
  title = "thing",
  width = 720, height = 900,
  start = function() -- once, when the game begins
    world.spawn("eye")
    world.spawn("stars")
    world.spawn("ship", { name = "ship" })
  end,
}
