-- Split screen: two players, each with a camera whose viewport is half of the screen, and a map drawn by a third
-- camera. One player flies with W, A, D, the other with the arrow keys, or each with a pad. Click in any view to place
-- the next beacon. Without input, the ships fly by themselves.
local WIDTH, HEIGHT = 2400, 1400

local function view(name, ship, x)
  local eye = world.spawn("eye", { name = name .. "'s eye", transform = { x = ship.transform.x, y = ship.transform.y },
    viewport = { x = x, width = 478, height = 540 }, follow = { target = ship } })
  ship.pilot.eye = eye
end

local function spawn_scenery()
  for _ = 1, 500 do
    local size = 0.5 + world.random() ^ 3 * 2.5
    world.spawn("star", { transform = { x = world.random() * WIDTH, y = world.random() * HEIGHT },
      shape = { radius = size, colour = { 0.7, 0.8, 1, 0.3 + 0.7 * world.random() } } })
  end
  for _ = 1, 34 do
    local points, radius = {}, 24 + world.random(46)
    for i = 0, 8 do
      local reach, angle = radius * (0.75 + 0.35 * world.random()), i * math.pi * 2 / 9
      points[#points + 1] = string.format("%.1f,%.1f", math.cos(angle) * reach, math.sin(angle) * reach)
    end
    local x, y, grey = world.random() * WIDTH, world.random() * HEIGHT, 0.24 + 0.12 * world.random()
    world.spawn("rock", { transform = { x = x, y = y }, rock = { radius = radius },
      shape = { points = table.concat(points, " "), colour = { grey, grey, grey * 1.25, 1 } } })
  end
end

return {
  title = "Split screen",
  width = 960,
  height = 540,
  window = { scale = "expand" },
  addons = { "caption" },
  start = function()
    spawn_scenery()
    world.spawn("border", { transform = { x = WIDTH / 2, y = HEIGHT / 2 }, shape = { width = WIDTH, height = HEIGHT } })
    local left = world.spawn("ship", { name = "Amber", transform = { x = 500, y = 700 },
      pilot = { player = 1, colour = "#ffb04a" }, shape = { colour = "#ffb04a" } })
    local right = world.spawn("ship", { name = "Azure", transform = { x = 1900, y = 700, angle = math.pi },
      pilot = { player = 2, colour = "#4ac8ff" }, shape = { colour = "#4ac8ff" } })
    view("Amber", left, 0)
    view("Azure", right, 482)
    world.spawn("map", { name = "map", transform = { x = WIDTH / 2, y = HEIGHT / 2 } })
    world.spawn("beacon", { name = "beacon", transform = { x = WIDTH / 2, y = 300 } })
  end,
}
