-- Lights: a stone hall with braziers, a swinging lamp, glow-worms, and a watchman with a lantern. Entities with an
-- `occluder` cast shadows. Change the range or colour of a light in assemblages.lua while this runs.
local COLUMNS, ROWS, SLAB = 20, 12, 64

return {
  title = "Light",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for row = 0, ROWS - 1 do
      for column = 0, COLUMNS - 1 do
        local grey = 0.2 + 0.16 * world.random()
        world.spawn("slab", { transform = { x = (column + 0.5) * SLAB, y = (row + 0.5) * SLAB - 24 },
          shape = { colour = { grey * 0.98, grey * 0.95, grey, 1 } } })
      end
    end
    for _, wall in ipairs { { 640, 14, 1280, 28 }, { 640, 706, 1280, 28 }, { 14, 360, 28, 720 }, { 1266, 360, 28, 720 },
      { 420, 78, 26, 130 }, { 860, 642, 26, 130 } } do
      world.spawn("wall", { transform = { x = wall[1], y = wall[2] }, shape = { width = wall[3], height = wall[4] } })
    end
    for i = 0, 7 do
      world.spawn("pillar", { transform = { x = 250 + i % 4 * 260, y = i < 4 and 220 or 500 } })
    end
    world.spawn("brazier", { transform = { x = 120, y = 110 } })
    world.spawn("brazier", { transform = { x = 1160, y = 610 } })
    world.spawn("brazier", { transform = { x = 640, y = 360 } })
    world.spawn("lamp", { transform = { x = 1010, y = 150 } })
    for i = 1, 3 do
      world.spawn("crate", { transform = { x = 330 + i * 74, y = 372 - i % 2 * 40, angle = i * 0.7 } })
    end
    for i = 1, 14 do
      world.spawn("worm", { drift = { turn = world.random() * 6.28, pace = 0.4 + world.random() * 0.6 },
        transform = { x = 60 + world.random() * 300, y = 420 + world.random() * 240 } })
    end
    world.spawn("watchman", { transform = { x = 640, y = 600 } })
  end,
}
