-- Presets of emitters: emitter = { preset = "sparks", rate = 50 } merges the values of BASE, the values of the preset,
-- and the other fields given; later values take precedence. Presets do not set `enabled`, `layer`, `space` or
-- `visible`. The lengths in presets are for a game with a height of 720 logical pixels; M.scale_to_height scales them.
local M = {}

local DESIGN_HEIGHT = 720
local LENGTHS = { "radius", "width", "height", "speed", "gravity_x", "gravity_y", "sway", "size" }

local UP, ALL = -math.pi / 2, 2 * math.pi

-- Default values of the fields, equal to those in engine/include/shoal/builtin.h (SHOAL_EMITTER_FIELDS) until
-- M.scale_to_height changes the lengths.
M.BASE = {
  rate = 20, burst = 0, every = 0, duration = 0, finish = "stay", ahead = 0, life = 1, life_vary = 0.3,
  shape = "point", radius = 0, width = 0, height = 0, angle = 0, spread = ALL, outward = false,
  speed = 60, speed_vary = 0.3, speeds = "", gravity_x = 0, gravity_y = 0, inherit = 0, sway = 0,
  size = 4, size_vary = 0.3, sizes = "", stretch = 0, spin = 0,
  colour = { 1, 1, 1, 1 }, colour_vary = 0, colours = "", soft = 0,
  image = "", frame = 1, frames = 1, last_frame = 0, pick = false, blend = "alpha", outlive = true,
}

M.presets = {
  fire = {
    rate = 60, life = 0.9, shape = "circle", radius = 10, angle = UP, spread = 0.5, speed = 85, gravity_y = -40,
    sway = 4, size = 34, sizes = "0.5 1 0.7 0.2", soft = 1, blend = "add",
    colours = "#ffd07000 #ffb04068 #ff602068 #a0181048 #20050000",
  },
  smoke = {
    rate = 14, life = 2.6, shape = "circle", radius = 6, angle = UP, spread = 0.6, speed = 42, speed_vary = 0.4,
    speeds = "1 0.7 0.5", sway = 8, size = 64, sizes = "0.3 0.8 1", soft = 1, colour_vary = 0.2,
    colours = "#5a5a6400 #5a5a6470 #50505848 #46464e00",
  },
  sparks = {
    rate = 40, life = 0.7, life_vary = 0.5, angle = UP, spread = 1.6, speed = 240, speed_vary = 0.6, gravity_y = 500,
    size = 3, size_vary = 0.4, sizes = "1 1 0.3", stretch = 0.03, blend = "add",
    colours = "#fff6d0 #ffc040 #ff601080",
  },
  explosion = {
    rate = 0, burst = 90, finish = "destroy", life = 0.8, life_vary = 0.5, shape = "circle", radius = 6, outward = true,
    spread = 0.8, speed = 260, speed_vary = 0.8, speeds = "1 0.25 0.05 0", size = 30, size_vary = 0.6,
    sizes = "0.5 1 0.8 0", soft = 1, blend = "add", colour_vary = 0.3,
    colours = "#fffbe0 #ffc050c0 #ff501890 #40101000",
  },
  trail = {
    rate = 90, life = 0.5, life_vary = 0.1, speed = 6, size = 16, size_vary = 0.1, sizes = "1 0.5 0", soft = 0.8,
    blend = "add", colours = "#c0f0ffc0 #40a0ff90 #2040ff00",
  },
  rain = {
    rate = 260, life = 1.1, life_vary = 0.1, ahead = 1.2, shape = "rect", width = 1400, height = 10,
    angle = -UP + 0.12, spread = 0.03, speed = 760, speed_vary = 0.15, size = 2, stretch = 0.03,
    colours = "#a8c8ff60 #a8c8ff60", outlive = false,
  },
  snow = {
    rate = 55, life = 9, life_vary = 0.2, ahead = 9, shape = "rect", width = 1400, height = 10, angle = -UP,
    spread = 0.5, speed = 85, speed_vary = 0.4, sway = 26, size = 6, size_vary = 0.6, soft = 0.7,
    colours = "#ffffff00 #ffffffe0 #ffffffe0 #ffffffe0 #ffffff00", outlive = false,
  },
  magic = {
    rate = 46, life = 1.3, life_vary = 0.4, shape = "ring", radius = 30, outward = true, spread = 1, speed = 34,
    speeds = "-1 -0.4 0.6", gravity_y = -50, sway = 6, size = 11, size_vary = 0.6, sizes = "0 1 0.6 0", soft = 0.9,
    blend = "add", colour_vary = 0.4, colours = "#80f0ff #9070ff #ff60d0c0 #ff60d000",
  },
  dust = {
    rate = 0, burst = 12, life = 0.6, life_vary = 0.4, shape = "rect", width = 14, height = 2, angle = UP, spread = 2.6,
    speed = 46, speed_vary = 0.6, speeds = "1 0.3 0", gravity_y = -12, size = 14, size_vary = 0.4, sizes = "0.5 1",
    soft = 1, colours = "#c8b89a90 #c8b89a60 #c8b89a00",
  },
}

-- Default values of emitter_forces, equal to the values in particles/forces.c.
M.NO_FORCES = {
  drag = 0, wind_x = 0, wind_y = 0, pull = 0, swirl = 0, walls = "none", left = 0, top = 0, right = 0, bottom = 0,
  bounce = 0.5, slide = 0.7,
}

M.forces = {
  air = { drag = 2.5 },
  vortex = { pull = 0.8, swirl = 4 },
  rubber = { walls = "floor", bounce = 0.8, slide = 0.95 },
  rubble = { walls = "floor", bounce = 0.35, slide = 0.55 },
}

-- Scales the lengths of all presets, and of the base values that they do not set, to the height of the game. Call once,
-- before an emitter is declared.
---@param height integer
function M.scale_to_height(height)
  local factor = height / DESIGN_HEIGHT
  local tables = { M.BASE }
  for _, preset in pairs(M.presets) do
    tables[#tables + 1] = preset
  end
  for _, values in ipairs(tables) do
    for _, name in ipairs(LENGTHS) do
      values[name] = values[name] and values[name] * factor
    end
  end
end

return M
