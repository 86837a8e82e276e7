-- What the game is. Shoal finds the other files of this folder by itself.
return {
  title = "thing",
  width = 320, height = 180, -- the picture, in large pixels, and the window, which has four for each
  window = { width = 1280, height = 720, scale = "integer", filter = "pixels" },
  scene = "hills",
}
