-- The second scene: `entities` are spawned first, then `start` runs.
return {
  entities = {
    { assemblage = "eye", components = { camera = { background = { 0.1, 0.12, 0.26, 1 } } } },
    { assemblage = "glow",
      components = { transform = { x = 300, y = 150 }, shape = { radius = 46, colour = { 0.9, 0.95, 1.2, 1 } } } },
    { assemblage = "hill",
      components = { transform = { x = 250, y = 720 }, shape = { radius = 330, colour = "#39406b" } } },
    { assemblage = "hill",
      components = { transform = { x = 760, y = 760 }, shape = { radius = 430, colour = "#2c3158" } } },
    { assemblage = "hill",
      components = { transform = { x = 1180, y = 720 }, shape = { radius = 300, colour = "#424a7a" } } },
    { assemblage = "ground", components = { shape = { colour = "#e9eef8" } } },
    { assemblage = "traveller" },
  },
  start = function()
    world.single.purse.scene = "summit"
    for i = 1, 3 do
      world.spawn("coin", { transform = { x = 250 + i * 220, y = 506 } })
    end
  end,
}
