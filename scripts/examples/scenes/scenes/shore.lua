-- A scene: a list of entities, and a function `start`, which runs after these entities have been spawned.
return {
  entities = {
    { assemblage = "eye", components = { camera = { background = { 0.5, 0.72, 0.85, 1 } } } },
    { assemblage = "glow",
      components = { transform = { x = 980, y = 170 }, shape = { radius = 62, colour = { 1.4, 1.25, 0.8, 1 } } } },
    { assemblage = "cloud", components = { transform = { x = 260, y = 150 } } },
    { assemblage = "cloud", components = { transform = { x = 620, y = 220, scale_x = 0.7, scale_y = 0.7 } } },
    { assemblage = "hill",
      components = { transform = { x = 420, y = 560 }, shape = { radius = 120, colour = "#5f9a8c" } } },
    { assemblage = "boat", components = { transform = { x = 760, y = 468 } } },
    { assemblage = "ground", components = { transform = { y = 560 }, shape = { height = 180, colour = "#2d7f9c" } } },
    { assemblage = "ground", components = { shape = { colour = "#e5cf9a" } } },
    { assemblage = "hill",
      components = { transform = { x = 160, y = 640 }, shape = { radius = 150, colour = "#d8bf84", layer = 2 } } },
    { assemblage = "traveller" },
  },
  start = function()
    world.single.purse.scene = "shore"
    for i = 1, 5 do
      world.spawn("coin", { transform = { x = 180 + i * 170, y = 506 } })
    end
  end,
}
