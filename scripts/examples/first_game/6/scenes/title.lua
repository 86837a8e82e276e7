-- The menu, with glow-worms behind it.
return {
  entities = { { assemblage = "eye" }, { assemblage = "ground" }, { assemblage = "menu" } },
  start = function()
    for _ = 1, 14 do
      world.spawn("worm", { transform = { x = world.random(-600, 600), y = world.random(-340, 340) } })
    end
  end,
}
