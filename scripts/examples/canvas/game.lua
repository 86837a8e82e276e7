-- Canvases: an evening at a lake. A second camera draws the shore for the reflection in the water, a third camera draws
-- map symbols that the main camera does not show, and the postcard shows the boat in 80 × 54 pixels. Sail with the
-- arrow keys or A and D, or let the wind sail the boat.
local LEFT, RIGHT = -1700, 1700

local function create_ridge(name, y, height, step)
  local points, n = { string.format("%d,%d", LEFT - 700, 400) }, 0
  for x = LEFT - 700, RIGHT + 700, step do
    n = n + 1
    local up = height * (0.35 + 0.65 * world.random()) * (n % 2 == 0 and 1 or 0.55)
    points[#points + 1] = string.format("%d,%d", x, -up)
  end
  points[#points + 1] = string.format("%d,%d", RIGHT + 700, 400)
  world.spawn(name, { transform = { y = y }, shape = { points = table.concat(points, " ") } })
end

return {
  title = "Canvas",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    local boat = world.spawn("boat", { transform = { x = -300, y = -4 } })
    world.spawn("eye", { name = "eye", follow = { target = boat } })
    world.spawn("map", {})
    world.spawn("postcard", { transform = { x = -300, y = -60 }, follow = { target = boat } })
    world.spawn("dusk")
    for _ = 1, 220 do
      world.spawn("star", { transform = { x = LEFT - 600 + world.random() * (RIGHT - LEFT + 1200),
        y = -130 - world.random() ^ 0.7 * 330 },
        shape = { radius = 0.5 + world.random() ^ 3 * 1.6, colour = { 0.85, 0.9, 1, 0.25 + 0.75 * world.random() } } })
    end
    for i = 1, 12 do -- spawns bands of haze: the last light at the horizon
      world.spawn("haze", { transform = { y = 100 - i * 7 }, shape = { height = 40 + i * i * 4.2,
        colour = { 0.55, 0.3, 0.42, 0.055 } } })
    end
    create_ridge("far_ridge", 0, 220, 130)
    create_ridge("near_ridge", 0, 96, 74)
    for x = LEFT, RIGHT, 34 do
      local size = 0.55 + world.random() * 0.75
      if world.random() < 0.62 then
        world.spawn("fir", { transform = { x = x + world.random() * 30, y = -2, scale_x = size, scale_y = size } })
      end
    end
    for i, x in ipairs { -1380, -720, -40, 610, 1240 } do
      world.spawn("house", { transform = { x = x, y = -2, scale_x = i % 2 * 2 - 1 } })
    end
    world.spawn("lighthouse", { transform = { x = 1000, y = -2 } })
    for i = 1, 9 do
      world.spawn("lantern", { transform = { x = LEFT + 300 + i * 310, y = -1 }, float = { phase = i * 1.7, at = -1 } })
    end
    for _ = 1, 90 do
      world.spawn("glint", { transform = { x = LEFT - 300 + world.random() * (RIGHT - LEFT + 600),
        y = 6 + world.random() ^ 1.6 * 230 }, glint = { phase = world.random() * 6.28 } })
    end
    world.spawn("frame")
  end,
}
