-- The game's settings and start. Shoal loads the other files of this folder automatically.
return {
  title = "thing",
  -- Resolution in large pixels, each shown as 4 × 4 pixels of the window.
  width = 320, height = 176,
  window = { width = 1280, height = 704, scale = "integer", filter = "pixels" },
  start = function() -- runs once, when the game starts
    world.spawn("eye")
    world.spawn("hero", { transform = { x = 160, y = 88 } })
  end,
}
