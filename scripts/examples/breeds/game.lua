-- Flocks whose breeds are created and changed while the game runs, with world.define in systems/breed.lua. No file
-- contains the number of breeds, their speeds or their colours. Living animals follow when their breed changes.
return {
  title = "Breeds: assemblages at run time",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
  end,
}
