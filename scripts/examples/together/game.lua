-- Together: the game of `./shoal new` for four players. The page "Multiplayer in ten minutes" explains its changes.
return {
  title = "Together", scene = "room", layers = { "hero", "coin", "slime" }, -- collision layers
  width = 320, height = 176, -- in large pixels, each shown as 4 × 4 pixels of the window
  window = { width = 1280, height = 704, scale = "integer", filter = "pixels" },
  multiplayer = { players = { 1, 4 } },
}
