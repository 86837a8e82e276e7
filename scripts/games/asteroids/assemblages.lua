-- Assemblages: the templates for the game's entities.
local tuning = require "tuning"
local looks = require "lib.looks"

local colours = tuning.colours

local function to_rgba(rgb, alpha) return { rgb[1], rgb[2], rgb[3], alpha or 1 } end

local hull_shape = {
  kind = "polygon", points = looks.ship, colour = to_rgba(colours.ship), filled = false, thickness = 3.2, layer = 5,
}
local thrust_sound = { file = "thrust.wav", loop = true, volume = 0 }
local middle = { x = tuning.width / 2, y = tuning.height / 2, angle = -math.pi / 2 }
local at_rest = { vx = 0, vy = 0, spin = 0 }

local function pick_position()
  return { x = tuning.width * (0.1 + 0.8 * world.random()), y = tuning.height * (0.1 + 0.8 * world.random()) }
end

-- Adds the components of a ship in flight to `state` and returns it.
local function add_flight_components(state)
  state.shape, state.intent, state.engine, state.gun, state.warp_drive, state.sound = hull_shape, {}, {}, {}, {},
    thrust_sound
  return state
end

-- Returns a menu whose labels systems/draw_menus.lua draws in the vector font.
local function create_menu(...)
  local children = {}
  for i, entry in ipairs { ... } do
    children[i] = { button = { text = entry[1], emits = entry[2], style = "vector" }, widget = { height = 40 } }
  end
  return { components = { prop = {}, transform = {}, panel = { style = "plain", gap = 0 },
    widget = { width = 420, layer = 5 } }, children = children }
end

local function create_saucer_lines(colour)
  local faint = to_rgba(colour, 0.8)
  return {
    belt = { is = "saucer_line", components = { shape = { points = looks.saucer_belt, colour = faint } } },
    brow = { is = "saucer_line", components = { shape = { points = looks.saucer_brow, colour = faint } } },
  }
end

local function create_rock(size)
  local radius = tuning.rocks[size].radius
  return {
    is = "rock",
    components = {
      rock = { size = size },
      wrap = { margin = radius * 1.15 },
      hazard = { radius = radius, worth = 1 },
      body = { radius = radius * 0.9 },
      shape = { colour = to_rgba(colours[size]) },
    },
  }
end

return {
  camera = {
    components = {
      name = { value = "camera" },
      transform = { x = tuning.width / 2, y = tuning.height / 2 },
      camera = { bloom = 0.6, background = { 0.010, 0.012, 0.030, 1 } },
    },
  },
  nebula = {
    components = {
      transform = { x = tuning.width / 2, y = tuning.height / 2 },
      sprite = {
        image = "nebula.png", width = tuning.width * 1.06, height = tuning.height * 1.06, tint = { 0.5, 0.5, 0.5, 1 },
        blend = "add", layer = -20,
      },
    },
  },
  star = { components = { transform = {}, shape = { kind = "circle", radius = 1, layer = -10 }, star = {} } },

  -- Entering a state removes the components that only the old state lists: a ship that breaks up loses its intent, gun,
  -- body and hull. A new ship starts at rest in the middle of the field. A hyperspace jump moves the ship to a random
  -- position and stops it.
  ship = {
    components = { transform = {}, motion = {}, wrap = { margin = 18 }, ship = {}, prop = {} },
    children = { flame = { is = "flame" }, face = { is = "ship_face" } },
    states = {
      initial = "spawning",
      spawning = add_flight_components { transform = middle, motion = at_rest, grace = {} },
      warping = add_flight_components { transform = pick_position, motion = { vx = 0, vy = 0 },
      grace = { left = 0.7 } },
      playing = add_flight_components { body = { radius = 13, category = "ship",
      mask = { "rock", "saucer", "shell" } } },
      breaking = { wreck = {} },
      waiting = { wreck = { left = 0 } }, -- waits for a reserve ship after its player has joined again
    },
  },
  ship_face = { components = { transform = {}, hull = {},
    shape = { kind = "polygon", points = looks.ship, colour = { 0.10, 0.26, 0.36, 0.95 }, layer = 4 } } },
  player_ship = { is = "ship", components = { controls = {} } },
  demo_ship = { is = "ship", components = { autopilot = {} } },
  flame = {
    components = {
      transform = { x = -12 }, flame = {},
      shape = {
        kind = "polygon", points = looks.flame, colour = to_rgba(colours.flame, 0.9), blend = "add", layer = 4,
        visible = false,
      },
      emitter = {
        enabled = false, rate = 120, life = 0.37, life_vary = 0.4, angle = math.pi, spread = 0.6, inherit = 1,
        speed = 235, speed_vary = 0.36, size = 2.4, stretch = 0.035, blend = "add", layer = 3,
        colours = { { 1.7, 1.1, 0.15, 0.9 }, { 1.7, 0.6, 0.15, 0.5 }, { 1.2, 0.3, 0.1, 0 } },
      },
    },
  },
  ship_piece = {
    components = {
      transform = {}, motion = {}, prop = {}, wrap = { margin = 12 },
      lifetime = { seconds = 2.6 }, debris = { life = 2.6, drag = 0.25, peak = 2 },
      shape = { kind = "line", colour = to_rgba(colours.ship), thickness = 2.5, layer = 5 },
    },
  },

  rock = {
    components = {
      transform = {}, motion = {}, rock = {}, prop = {}, wrap = {}, hazard = {},
      body = { category = "rock", mask = { "ship", "bullet", "saucer", "shell" } },
      shape = { kind = "polygon", filled = false, thickness = 2.5, layer = 2 },
    },
  },
  rock_large = create_rock "large",
  rock_medium = create_rock "medium",
  rock_small = create_rock "small",
  rock_face = {
    components = {
      transform = {},
      shape = { kind = "polygon", filled = true, colour = { 0.025, 0.028, 0.075, 0.92 }, layer = 1 },
    },
  },

  rock_ridges = { components = { transform = {}, shape = { kind = "line", thickness = 1.5, layer = 2 } } },

  bullet = {
    components = {
      transform = {}, motion = {}, bullet = {}, prop = {}, wrap = { margin = 8 }, lifetime = { seconds = 0.95 },
      body = { radius = 4, category = "bullet", mask = { "rock", "saucer" } },
      shape = {
        kind = "line", points = looks.bullet, colour = to_rgba(colours.bullet), thickness = 3.5, layer = 4,
          blend = "add",
      },
    },
  },
  shell = {
    is = "bullet",
    components = {
      lifetime = { seconds = 1.6 },
      hazard = { radius = 5 },
      body = { radius = 4, category = "shell", mask = { "rock", "ship" } },
      shape = { kind = "polygon", points = looks.shell, colour = { 1.2, 2.0, 0.8, 1 } },
    },
  },

  saucer = {
    components = {
      transform = {}, motion = {}, saucer = {}, prop = {}, hazard = { radius = 24, worth = 3 },
      body = { radius = 19, category = "saucer", mask = { "ship", "bullet", "rock" } },
      shape = {
        kind = "polygon", points = looks.saucer, filled = false, thickness = 2.5, layer = 5,
        colour = to_rgba(colours.saucer_big),
      },
      sound = { file = "saucer_big.wav", loop = true, volume = 0.3 },
    },
    children = create_saucer_lines(colours.saucer_big),
  },
  saucer_line = { components = { transform = {}, shape = { kind = "line", thickness = 2, layer = 5 } } },
  saucer_big = { is = "saucer" },
  saucer_small = {
    is = "saucer",
    components = {
      transform = { scale_x = 0.62, scale_y = 0.62 },
      saucer = { small = true, speed = 185 },
      hazard = { radius = 15, worth = 5 },
      body = { radius = 13 },
      shape = { colour = to_rgba(colours.saucer_small) },
      sound = { file = "saucer_small.wav", volume = 0.26 },
    },
    children = create_saucer_lines(colours.saucer_small),
  },

  mother_ship = {
    is = "saucer",
    components = {
      transform = { scale_x = 2.3, scale_y = 2.3 },
      mother_ship = {}, saucer = { speed = 90, fire_in = 2 },
      hazard = { radius = 56, worth = 4 },
      body = { radius = 44 },
      shape = { colour = to_rgba(colours.mother_ship), thickness = 1.6 },
      sound = { volume = 0.36 },
    },
    children = create_saucer_lines(colours.mother_ship),
  },

  sparks = { -- with `space = "entity"`, the sparks move with the entity, which keeps drifting after the explosion
    components = {
      transform = {}, motion = {}, prop = {},
      emitter = {
        rate = 0, finish = "destroy", space = "entity", shape = "circle", outward = true, spread = 0, speed_vary = 0.8,
        speeds = { 1, 0.6, 0.35, 0.2 }, life_vary = 0.5, size = 2.6, sizes = { 1, 1, 0.5 }, stretch = 0.04,
        colour_vary = 0.3, blend = "add", layer = 3,
      },
    },
  },
  ring = {
    components = {
      transform = {}, ring = {}, lifetime = {}, prop = {},
      shape = { kind = "circle", filled = false, thickness = 3, blend = "add", layer = 3 },
    },
  },
  flare = {
    components = { transform = {}, ring = {}, lifetime = {}, prop = {},
      shape = { kind = "circle", blend = "add", layer = 6 } },
  },
  title_menu = create_menu({ "@menu.play", "play" }, { tr.key("menu.players", { n = 1 }), "more_players" },
    { "@menu.options", "menu.options" }, { "@menu.quit", "menu.quit" }),
  pause_menu = create_menu({ "@menu.resume", "resume" }, { "@menu.options", "menu.options" },
    { "@menu.quit_to_title", "leave" }),
  popup = {
    components = {
      transform = {}, motion = { vy = -42 }, prop = {}, popup = { life = 0.9 }, lifetime = { seconds = 0.9 },
      text = { size = 20, align = "center", colour = to_rgba(colours.gold), layer = 8 },
    },
  },
}
