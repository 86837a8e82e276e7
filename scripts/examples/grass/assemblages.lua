-- A sheep consists of circles and four legs. y_sort orders sheep and grass by the y of their feet, so the rows of grass
-- in front of a sheep hide its legs.
local WOOL = { 0.95, 0.92, 0.86, 1 }
local SHADE = { 0.80, 0.77, 0.76, 1 }

local function create_puff(x, y, radius, colour)
  return { components = { transform = { x = x, y = y }, y_sort = { offset = -y },
    shape = { kind = "circle", radius = radius, colour = colour } } }
end

local function create_leg(x)
  return { components = { transform = { x = x, y = -9 }, y_sort = { offset = 7 },
    shape = { kind = "rect", width = 5, height = 20, colour = { 0.13, 0.11, 0.14, 1 } } } }
end

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { background = { 0.05, 0.115, 0.1, 1 }, bloom = 0.3 } } },
  sky = { components = { transform = {}, shape = { kind = "rect", width = 1300, height = 6, layer = -9 } } },
  sun = { components = { transform = {}, shape = { kind = "circle", radius = 44, colour = { 1.7, 1.25, 0.75, 1 },
    layer = -8 } } },
  hills = { components = { transform = {}, shape = { kind = "polygon", layer = -7, colour = { 0.13, 0.2, 0.24, 1 },
    points = "-660,60 -660,-22 -600,-34 -530,-38 -460,-32 -390,-34 -320,-44 -260,-46 -200,-38 -120,-28 -40,-26 " ..
      "40,-18 120,-4 200,-2 280,-10 360,-26 430,-34 500,-30 560,-26 610,-32 660,-40 660,60" } } },
  meadow = { components = { transform = {}, grass = { kind = "meadow.grass", width = 1400, height = 580 } } },
  reeds = { components = { transform = {}, grass = { kind = "reeds.grass", width = 330, height = 130, seed = 3 } } },
  sheep = {
    components = { transform = {}, sheep = {}, grass_foot = { radius = 44, shadow = 40 } },
    children = {
      leg_a = create_leg(-14), leg_b = create_leg(-7), leg_c = create_leg(9), leg_d = create_leg(15),
      back = create_puff(-20, -30, 14, SHADE), low = create_puff(-4, -25, 16, SHADE),
      low_b = create_puff(12, -25, 15, SHADE),
      middle = create_puff(-12, -36, 16, WOOL), top = create_puff(4, -39, 17, WOOL),
      front = create_puff(18, -34, 14, WOOL),
      head = create_puff(34, -37, 9.5, { 0.17, 0.14, 0.17, 1 }),
      ear = create_puff(28, -42, 4, { 0.13, 0.11, 0.14, 1 }),
      tuft = create_puff(31, -46, 6, WOOL),
    },
  },
  hand = { components = { transform = {}, hand = {}, grass_foot = { radius = 85, force = 1.1 } } },
  fireflies = { components = { transform = {}, emitter = { rate = 9, life = 5, life_vary = 0.5, shape = "rect",
    width = 1200, height = 380, speed = 14, spread = 6.28, sway = 30, size = 7, size_vary = 0.5, soft = 0.9,
    blend = "add", colours = { "#ffe89000", "#ffe890", "#ffd060", "#ffd06000" }, layer = 2 } } },
}
