-- Together: the game of `./shoal new` for up to four players; the page "Multiplayer in ten minutes" explains each change.
return {
  title = "Together", scene = "room",
  width = 320, height = 176, -- in large pixels, each shown as 4 × 4 pixels of the window
  window = { width = 1280, height = 704, scale = "integer", filter = "pixels" },
  layers = { "hero", "coin" }, -- collision layers
  multiplayer = { players = { 1, 4 } },
}
