-- The game's settings and start. Shoal loads the other files of this folder automatically.
return {
  title = "thing",
  -- Resolution in large pixels, each shown as 4 × 4 pixels of the window.
  width = 320, height = 180,
  window = { width = 1280, height = 720, scale = "integer", filter = "pixels" },
  layers = { "hero", "item", "ground" }, -- collision layers; items: coins and springs
  scene = "hills",
}
