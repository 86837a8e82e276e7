-- Trails: planes that leave ribbons in the evening sky, darts that follow the mouse, and a flower drawn by seven pens.
-- A trail is a component with a colour, a width, and curves for both. Change them in assemblages.lua while this runs.
return {
  title = "Trails",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 1, 7 do
      local turn = i / 7
      world.spawn("pen", { orbit = { turn = turn * 2 * math.pi, far = 150, x = 960, y = 340 },
        trail = { colour = { 0.4 + 0.9 * turn, 0.5, 1.6 - turn, 1 } } })
    end
    world.spawn("plane", { loop = { along = 0 } })
    world.spawn("plane", { loop = { along = 2.1 }, trail = { colours = { "#b8ffd0", "#40d0a0a0", "#2060ff00" } } })
    world.spawn("plane", { loop = { along = 4.2 }, trail = { colours = { "#ffd0f0", "#ff50b0a0", "#6020ff00" } } })
    for i = 1, 24 do
      world.spawn("dart", { transform = { x = 100 + i * 40, y = 600 },
        dart = { vx = 90, vy = 20 * (i % 5 - 2), pace = i } })
    end
  end,
}
