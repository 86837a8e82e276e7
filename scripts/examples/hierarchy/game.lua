-- The sun, its planets and their moons as a tree of parents and children, in one assemblage. systems/turn.lua only
-- changes angles; no code computes the position of a moon.
return {
  title = "Hierarchy: orbits",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    world.spawn("sun")
  end,
}
