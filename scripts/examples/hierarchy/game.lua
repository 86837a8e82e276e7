-- Sun, planets, moons: children go with their parents. The whole system is one assemblage with children in it; only
-- angles turn (systems/turn.lua), and no line calculates where a moon is.
return {
  title = "Hierarchy: orbits",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
    world.spawn("sun")
  end,
}
