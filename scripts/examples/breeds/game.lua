-- Flocks whose breeds are defined and redefined while the game runs, with world.define in systems/breed.lua. No file
-- contains the number of breeds, their speeds or their colours. Living animals change with their breed.
return {
  title = "Breeds: assemblages at run time",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
  end,
}
