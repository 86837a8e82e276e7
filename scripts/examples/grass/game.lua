-- A meadow drawn by the plugin `grass` with its own textures and shader. Sheep wade through the grass, and the mouse
-- parts it. Change a line of assets/meadow.grass while this runs.
return {
  title = "Grass: a meadow in the wind",
  width = 1280,
  height = 720,
  addons = { "caption" },
  plugins = { "grass" },
  start = function()
    world.spawn("eye")
    for i = 0, 47 do -- spawns the bands of the sky, from the top to the horizon
      local t = i / 47
      world.spawn("sky", { transform = { x = 640, y = 2 + i * 5 },
        shape = { colour = { 0.07 + 0.75 * t * t, 0.14 + 0.43 * t, 0.31 + 0.13 * t, 1 } } })
    end
    world.spawn("sun", { transform = { x = 905, y = 168 } })
    world.spawn("hills", { transform = { x = 640, y = 190 } })
    world.spawn("meadow", { transform = { x = 640, y = 476 } })
    world.spawn("reeds", { transform = { x = 130, y = 668 } })
    world.spawn("reeds", { transform = { x = 1190, y = 676 }, grass = { seed = 5, width = 400 } })
    for i = 1, 7 do
      local x, y = 60 + 152 * i, 300 + (i * 137) % 320
      world.spawn("sheep", { transform = { x = x, y = y }, sheep = { to_x = x + 40, to_y = y } })
    end
    world.spawn("hand")
    world.spawn("fireflies", { transform = { x = 640, y = 430 } })
  end,
}
