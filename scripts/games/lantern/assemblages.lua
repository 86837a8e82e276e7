-- Assemblages: the templates for the game's entities. A body has a category, its collision layer, and a mask, the
-- layers with which it collides; game.lua lists all layers. Entities with `sensor` report contacts but block nothing.

local function sprite(image, layer) return { image = image .. ".png", layer = layer or 0 } end

local function box(width, height, category, mask, y)
  return { kind = "box", width = width, height = height, offset_y = y or -height / 2, category = category, mask = mask }
end

-- Returns the components of an upright solid object whose position is at its foot. `extra`: name of an additional
-- component.
local function standing(image, width, height, extra)
  local all = { transform = {}, sprite = sprite(image), y_sort = {},
    body = box(width, height, "solid", { "hero", "blade" }) }
  if extra then all[extra] = {} end
  return all
end

local function foe(name, hp, speed, width, height)
  return {
    transform = {}, sprite = sprite(name), animation = { clip = "go" }, y_sort = {}, material = {}, mover = {},
    sensor = {}, body = box(width, height, "foe", { "hero", "blade" }), intent = {}, walk = { speed = speed },
    knock = {}, health = { hp = hp, max = hp }, harm = {}, foe = {}, [name] = {},
  }
end

local menu = require "menus"
local button = menu.button

local function small_button(text, emits, name)
  return { button = { text = text, emits = emits }, name = name, widget = { width = 53 } }
end

local function row(style, ...)
  local panel = { layout = "row", style = style, padding = 2, justify = "centre" }
  return { components = { panel = panel }, children = { ... } }
end

local function list(heading, width, ...)
  return menu.panel { heading = heading, width = width, layer = 40,
    components = { transform = { y = heading and 0 or 7 } }, ... }
end

return {
  eye = { components = { transform = { x = 160, y = 90 }, camera = { background = "#0e0b16", bloom = 0.12 },
    shaken = { pixels = 5, decay = 2.2 }, follow = { seconds = 0.12, width = 24, height = 16 },
  } },

  -- The hero's state determines the source of the intent: packets (`led`), the player (`played`) or the demo's pilot.
  hero = {
    components = {
      transform = {}, sprite = sprite "hero", animation = { clip = "idle_down" }, y_sort = {}, material = {},
      mover = {}, body = box(9, 7, "hero", { "foe", "shot", "thing", "solid" }), intent = {}, walk = { speed = 78 },
      knock = {}, health = { hp = 6, max = 6 }, caster = {}, light = { radius = 62 },
    },
    states = { initial = "led", led = { puppet = {} }, played = { player = {} }, demonstrated = { pilot = {} } },
  },
  slash = { components = {
    transform = {}, sprite = sprite("slash", 1), animation = { clip = "cut" }, lifetime = { seconds = 0.16 },
    sensor = {}, body = { radius = 13, category = "blade", mask = { "foe", "shot", "solid" } }, harm = { push = 190 },
  } },
  fireball = { components = {
    transform = {}, sprite = sprite("fireball", 1), animation = { clip = "fly" }, flight = {}, spent = {}, sensor = {},
    body = { radius = 5, category = "blade", mask = { "foe", "solid" } }, harm = { points = 2, push = 120 },
    lifetime = { seconds = 1.4 }, light = { radius = 44, flicker = 2 },
  } },

  slime = { components = foe("slime", 2, 38, 12, 8) },
  bat = { components = foe("bat", 1, 66, 10, 8) },
  skeleton = { components = foe("skeleton", 4, 30, 10, 9) },
  wisp = { components = { transform = {}, sprite = sprite "wisp", animation = { clip = "go" }, y_sort = {}, sensor = {},
    harm = { push = 190 }, body = { radius = 5, offset_y = -7, category = "shot", mask = "hero" },
    path = { speed = 52 }, light = { radius = 26 },
  } },
  bolt = { components = {
    transform = {}, sprite = sprite("bolt", 1), animation = { clip = "fly" }, flight = {}, spent = {}, sensor = {},
    body = { radius = 3, category = "shot", mask = { "hero", "blade" } }, harm = {}, lifetime = { seconds = 4 },
    light = { radius = 18 },
  } },

  -- The boss. He deals damage only in states with `harm` and can be hurt only in the state with `foe`. Entering a state
  -- removes the components that only the previous state lists.
  snuffer = {
    components = {
      transform = {}, sprite = sprite "snuffer", animation = {}, y_sort = {}, mover = {}, sensor = {}, intent = {},
      material = { outline = "#62bbd600", dissolve_colour = "#62bbd6" }, body = box(26, 22, "foe", { "hero", "blade" }),
      walk = {}, knock = {}, health = { hp = 14, max = 14 }, snuffer = {},
    },
    states = {
      initial = "asleep",
      asleep = { animation = { clip = "asleep" }, walk = { speed = 0 } },
      prowling = { animation = { clip = "go" }, walk = { speed = 34 }, snuffer = { wait = 2.4, shots = 0 }, harm = {} },
      casting = { animation = { clip = "rage" }, walk = { speed = 0 }, snuffer = { wait = 0.7 }, harm = {} },
      aiming = { animation = { clip = "rage" }, walk = { speed = 0 }, snuffer = { wait = 0.6 }, harm = {} },
      rushing = { animation = { clip = "rage" }, walk = { speed = 190 }, snuffer = { wait = 1.4 }, harm = {} },
      dazed = { animation = { clip = "dazed" }, walk = { speed = 0 }, snuffer = { wait = 2.8 }, foe = {} },
      dying = { animation = { clip = "dazed" }, walk = { speed = 0 } },
    },
  },

  -- rooms and the objects in them
  room = { components = { transform = {}, tilemap = { layer = -10 }, room = {} } },
  exit = { components = { transform = {}, exit = {}, sensor = {}, body = { kind = "box", width = 0, height = 0,
    category = "thing", mask = "hero" } } },
  arrival = { components = { transform = {}, arrival = {} } },
  chest = { components = standing("chest", 14, 8, "chest") },
  brazier = { components = standing("brazier", 10, 6, "brazier") },
  torch = { is = "brazier", components = { animation = { clip = "burn" }, light = { radius = 46 },
    sprite = { frame = 2 } } },
  lamp = { components = standing("lamp", 8, 6) },
  keeper = { components = standing("keeper", 10, 6, "keeper") },
  pot = { components = standing("pot", 9, 6, "pot") },
  grave = { components = standing("grave", 11, 6) },
  pillar = { components = standing("pillar", 14, 8) },
  arch = { components = { transform = {}, sprite = sprite("door", -1) } },
  chapel_door = { is = "arch", components = { sprite = { frame = 2 } } },
  great_door = { is = "arch", components = { barrier = {}, body = box(28, 22, "solid", { "hero", "blade" }, -2) } },
  gate = { components = {
    transform = {}, sprite = sprite "gate", barrier = {}, body = box(30, 20, "solid", { "hero", "blade" }, 0) } },
  throne_gate = { is = "gate", components = { sprite = { frame = 2 }, body = { enabled = false } } },

  -- pickups
  heart = { components = { transform = {}, sprite = sprite "heart", y_sort = {}, heart = {}, sensor = {},
    body = { radius = 6, category = "thing", mask = "hero" }, lifetime = { seconds = 10 } } },
  cloak = { components = { transform = {}, sprite = sprite "cloak", animation = { clip = "go" }, y_sort = {},
    cloak = {}, sensor = {}, body = { radius = 7, category = "thing", mask = "hero" }, light = { radius = 30 } } },
  prize = { components = { transform = {}, sprite = sprite("key", 2), lifetime = { seconds = 1.6 },
    light = { radius = 40 } } },

  title_menu = list(nil, 96, button("@menu.new_game", "menu_begins"), button("@menu.load_game", "menu_slots"),
    button("@menu.options", "menu_options"), button("@menu.quit", "menu_quits")),
  pause_menu = list("@menu.paused", 150, button("@menu.resume", "pause.resume", true),
    button("@menu.save_or_load", "menu_slots"), button("@menu.options", "menu_options"),
    button("@menu.to_title", "pause.leave")),
  slots = list("@menu.saved_games", 190, -- the width fits the largest text size
    row("box", { label = { align = "centre", style = "dim" }, name = "slot picture",
      widget = { width = 80, height = 45 } }),
    { label = { align = "centre", style = "dim" }, name = "slot words" },
    { list = { text = "@menu.slot", items = "1\n2\n3", rows = 1, bind = "menu.slot", emits = "menu_slot" } },
    row("plain", small_button("@menu.save", "menu_saves", "slot save"),
      small_button("@menu.load", "menu_loads", "slot load"),
      small_button("@menu.delete", "menu_deletes", "slot delete")),
    button("@menu.back", "menu_back", true)),

  -- short-lived effects
  speck = { components = { transform = {}, sprite = sprite("speck", 3), flight = {}, fades = {}, lifetime = {} } },
  puff = { components = { transform = {}, sprite = sprite("puff", 2), animation = { clip = "go" },
    lifetime = { seconds = 0.4 } } },
}
