local function create_block(width, height, r, g, b)
  return {
    components = { transform = {}, nav_obstacle = { width = width, height = height },
      shape = { kind = "rect", width = width, height = height, colour = { r, g, b, 1 } } },
  }
end

local function create_walker(r, g, b)
  return { is = "walker", components = { shape = { colour = { r, g, b, 1 } } } }
end

return {
  eye = { components = { transform = { x = 640, y = 381 },
    camera = { zoom = 0.945, bloom = 0.5, background = { 0.02, 0.024, 0.03, 1 } } } },
  goal = {
    components = { transform = {}, goal = {},
      shape = { radius = 26, filled = false, thickness = 4, colour = { 1, 0.9, 0.5, 1 } } },
  },
  solid = create_block(100, 60, 0.12, 0.14, 0.19),
  house = { is = "solid", components = { house = {} } },
  wall = create_block(20, 80, 0.2, 0.19, 0.17),
  gate = { components = { transform = {}, gate = {}, nav_obstacle = { width = 20, height = 40, enabled = false },
    shape = { kind = "rect", width = 12, height = 40, colour = { 0.8, 0.45, 0.15, 1 } } } },
  marsh = { components = { transform = {}, nav_obstacle = { kind = "circle", radius = 110, cost = 5 },
    shape = { radius = 110, colour = { 0.03, 0.1, 0.07, 1 }, layer = -1 } } },
  walker = { components = { transform = {}, walker = {}, nav_agent = {}, findable = {}, neighbours = { radius = 9.5 },
    shape = { radius = 4.5 } } },
  red = create_walker(1, 0.4, 0.25),
  blue = create_walker(0.3, 0.6, 1),
}
