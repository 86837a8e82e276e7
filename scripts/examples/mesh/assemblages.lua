local function create_land(x, y, z, size)
  return { model = "sphere", offset = { x, y, z }, size = { size, size * 0.92, size },
    colour = { 0.28 + size * 0.25, 0.6, 0.27, 1 } }
end

-- Returns a dark, flat spot of a moon.
local function create_dent(x, y, z, size)
  return { model = "sphere", offset = { x, y, z }, size = { size, size, size }, colour = { 0.48, 0.46, 0.52, 1 } }
end

-- Returns a fin of a rocket. Rockets fly along their own y axis.
local function create_fin(angle)
  local s, c = math.sin(angle), math.cos(angle)
  return { model = "pyramid", offset = { s * 0.16, -0.3, c * 0.16 }, size = { 0.16, 0.4, 0.16 },
    colour = { 0.3, 0.34, 0.44, 1 } }
end

local function create_rocket(r, g, b)
  return {
    is = "flying",
    components = {
      mesh = {
        hull = { model = "cylinder", size = { 0.3, 0.72, 0.3 }, colour = { 0.92, 0.93, 0.96, 1 } },
        belt = { model = "cylinder", offset = { 0, -0.12, 0 }, size = { 0.315, 0.09, 0.315 }, colour = { r, g, b, 1 } },
        nose = { model = "cone", offset = { 0, 0.6, 0 }, size = { 0.3, 0.48, 0.3 }, colour = { r, g, b, 1 } },
        window = { model = "sphere", offset = { 0, 0.14, 0.125 }, size = { 0.085, 0.085, 0.06 },
          colour = { 0.45, 0.85, 1, 1 }, glow = 0.7 },
        fin_a = create_fin(0), fin_b = create_fin(2.094), fin_c = create_fin(4.189),
        flame = { model = "cone", offset = { 0, -0.6, 0 }, rotation = { 1, 0, 0, 0 }, size = { 0.24, 0.5, 0.24 },
          colour = { 1, 0.62, 0.18, 1 }, glow = 1 },
      },
      orbit = { heading = true },
      pose = { scale = 0.9 },
      rocket = {},
    },
  }
end

return {
  eye = { components = { lens = { fov = 0.75 }, view = {}, transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.012, 0.014, 0.03, 1 } } } },
  planet = {
    components = {
      pose = { scale = 1.75 },
      spin = { x = 0.2, speed = 0.12 },
      mesh = {
        sea = { model = "ball", colour = { 0.10, 0.34, 0.62, 1 } },
        land_a = create_land(0.52, 0.28, 0.36, 0.46), land_b = create_land(0.3, 0.45, 0.5, 0.36),
        land_c = create_land(0.6, 0, 0.42, 0.3),
        land_d = create_land(-0.5, -0.3, 0.4, 0.44), land_e = create_land(-0.62, 0.1, 0.25, 0.36),
        land_f = create_land(-0.2, 0.5, -0.5, 0.42),
        land_g = create_land(0.3, -0.35, -0.6, 0.46), land_h = create_land(0.62, -0.2, -0.38, 0.32),
        land_i = create_land(-0.6, -0.15, -0.5, 0.3),
        sand = { model = "sphere", offset = { -0.02, 0.36, -0.62 }, size = { 0.38, 0.3, 0.36 },
          colour = { 0.74, 0.63, 0.36, 1 } },
        cap = { model = "sphere", offset = { 0, 0.62, 0 }, size = { 0.56, 0.42, 0.56 }, colour = { 0.95, 0.97, 1, 1 } },
      },
    },
  },
  flying = { components = { pose = {}, orbit = {} } },
  moon = { is = "flying", components = { spin = { speed = 0.5 }, mesh = {
    rock = { model = "sphere", size = { 0.4, 0.4, 0.4 }, colour = { 0.62, 0.6, 0.66, 1 } },
    dent_a = create_dent(0.12, 0.08, 0.12, 0.13), dent_b = create_dent(-0.07, 0.14, 0.1, 0.09),
    dent_c = create_dent(0.02, -0.1, 0.16, 0.1), dent_d = create_dent(-0.15, -0.04, -0.1, 0.12),
    dent_e = create_dent(0.08, 0.05, -0.16, 0.1),
  } } },
  pebble = { is = "flying", components = { spin = {},
    mesh = { stone = { model = "cube", colour = { 0.72, 0.62, 0.52, 1 } } } } },
  rocket1 = create_rocket(1, 0.32, 0.26),
  rocket2 = create_rocket(1, 0.78, 0.2),
  rocket3 = create_rocket(0.3, 0.85, 0.6),
}
