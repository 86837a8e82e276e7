-- Flocks whose breeds are defined and redefined while the game runs, with world.define in systems/breed.lua. The speeds
-- and colours of the breeds are not in any file. Living animals change with their breed.
return {
  title = "Breeds: assemblages at run time",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
  end,
}
