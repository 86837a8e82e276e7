-- The game's settings and start. Shoal loads the other files of this folder automatically.
return {
  title = "thing",
  width = 720, height = 900,
  layers = { "ship", "bullet", "rock" }, -- collision layers
  start = function() -- runs once, when the game starts
    world.spawn("eye")
    world.spawn("stars")
    world.spawn("ship", { name = "ship" })
  end,
}
