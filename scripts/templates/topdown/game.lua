-- What the game is. Shoal finds the other files of this folder by itself.
return {
  title = "thing",
  width = 320, height = 176, -- the picture, in large pixels, and the window, which has four for each
  window = { width = 1280, height = 704, scale = "integer", filter = "pixels" },
  start = function() -- once, when the game begins
    world.spawn("eye")
    world.spawn("hero", { transform = { x = 160, y = 88 } })
  end,
}
