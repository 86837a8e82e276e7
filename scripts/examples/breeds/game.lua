-- Flocks whose kinds the program makes and changes (world.define in systems/breed.lua). No file says how many breeds
-- there are, how fast they swim or what colour they have; those that are alive follow when their breed is changed.
return {
  title = "Breeds: assemblages from the program",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
  end,
}
