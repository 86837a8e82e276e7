-- Assemblages: the templates for the game's entities.
local menu = require "menus"
local button = menu.button

local function sprite(image, layer) return { image = image .. ".png", layer = layer or 0 } end

-- Returns the components of an upright solid object whose position is at its foot. `more`: additional components.
local function standing(image, width, height, more)
  local all = { transform = {}, sprite = sprite(image), y_sort = {},
    body = { kind = "box", width = width, height = height, offset_y = -height / 2, category = "solid", mask = "hero" } }
  for name, values in pairs(more or {}) do all[name] = values end
  return all
end

local fire = { range = 92, colour = "#ffb056", intensity = 0.9, size = 6, flicker = 0.1, falloff = 1.3 }

local function folk(name, image)
  return { components = standing(image, 10, 6, { folk = { name = name }, animation = { clip = "go" }, speech = {} }) }
end

return {
  eye = { components = { name = "eye", transform = { x = 160, y = 98 }, camera = { background = "#0e0b16" },
    ambient = { colour = "#ffffff" } } },
  room = { components = { transform = {}, tilemap = { layer = -10 }, room = {} } },

  -- Entities that a player owns: the bag with the pick as its child. In a served world, both travel with the player.
  bag = { components = { transform = {}, bag = {} },
    children = { pick = { components = { transform = {}, pick = {} } } } },

  hero = {
    components = {
      transform = {}, sprite = sprite "hero_1", animation = { clip = "idle_down" }, y_sort = {}, mover = {}, hero = {},
      body = { kind = "box", width = 9, height = 7, offset_y = -3.5, category = "hero", mask = "solid" },
      intent = {}, walk = {}, memory = {},
      light = { range = 84, colour = "#ffd9a0", intensity = 0, size = 4, falloff = 1.3 },
    },
  },
  elder = folk("elder", "elder"),
  smith = folk("smith", "smith"),

  arrival = { components = { transform = {}, arrival = {} } },
  door = { components = { transform = {}, door = {} } },
  arch = { components = { transform = {}, sprite = sprite("arch", -1) } },
  ore_vein = { components = standing("ore", 14, 8, { vein = {} }) },
  gold_vein = { components = standing("gold", 14, 8, { vein = { good = "gold", left = 2, full = 2 } }) },
  house = { components = standing("house", 46, 20) },
  forge = { components = standing("forge", 20, 8) },
  well = { components = standing("well", 18, 9) },
  lamp = { components = standing("lamp", 8, 6, { animation = { clip = "burn" } }) },
  torch = { components = standing("torch", 10, 6, { animation = { clip = "burn" }, light = fire }) },

  popup = { components = { transform = {}, lifetime = { seconds = 0.9 }, popup = {},
    text = { size = 8, font = "pixels.ttf", align = "center", layer = 11, colour = "#ffe186" },
    text_style = { outline = "#0e0b16", outline_width = 1 } } },
  sparkle = { components = { transform = {}, emitter = { rate = 0, burst = 8, duration = 0.1, finish = "destroy",
    life = 0.5, speed = 46, size = 2, sizes = { 1, 0.3 }, colour = "#ffe186", layer = 6 } } },

  title_menu = menu.panel { width = 112, layer = 40, components = { transform = { y = 22 } },
    button("@menus.play", "begin"), button(tr.key("menus.players", { n = 1 }), "more_players"),
    button("@menus.options", "menus.options"), button("@menus.quit", "menus.quit") },
}
