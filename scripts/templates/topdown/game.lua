-- The game's settings. Shoal loads the other files of this folder automatically.
return {
  title = "thing", scene = "room", layers = { "hero", "coin", "slime" }, -- collision layers
  width = 320, height = 176, -- in large pixels, each shown as 4 × 4 pixels of the window
  window = { width = 1280, height = 704, scale = "integer", filter = "pixels" },
}
