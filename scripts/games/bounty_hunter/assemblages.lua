-- Assemblages: the templates for the game's entities.
local looks = assets.json "looks.json"

local function create_sprite(frame, layer) return { image = "figures.png", frame = frame, layer = layer } end
local function create_body(radius, category, mask) return { radius = radius, category = category, mask = mask } end
local function create_text(px) return { size = px, font = looks.font, align = "center", layer = 6,
  colour = looks.ink } end
local function create_dust(values)
  values.soft, values.colours, values.speeds = 0.5, { "#ffffff", "#ffffff00" }, { 1, 0.2 }
  return values
end
local function create_burst(count, life, speed, size, colour)
  return { components = { transform = {}, emitter =
    create_dust { rate = 0, burst = count, duration = 0.1, finish = "destroy",
    life = life, speed = speed, size = size, sizes = { 1, 0.3 }, colour = colour, layer = 4 } } }
end
local menu = require "menu"
local button = menu.button
local function create_list(...) return menu.panel { width = 320, style = "plain", components = { prop = {} }, ... } end
return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 16 }, ambient = looks.sky,
    camera = { background = looks.days[1].ground }, sprite = { image = "ground.png", layer = -5 } } },
  stash = { components = { transform = {}, stash = {}, light = looks.fire,
    sprite = { image = "stash.png", layer = -3 } } },
  -- A hunter's state determines which system sets its intent: the player's controls (`ridden`) or one of the AI moods.
  hunter = { components = { prop = {}, hunter = {}, sprite = create_sprite(1, 3), sensor = {}, light = looks.lamp,
    occluder = looks.rider, body = create_body(21, "hunter", { "hunter", "outlaw", "bounty", "rock" }),
    emitter = create_dust { enabled = false, rate = 16, life = 0.6, size = 9, sizes = { 0.5, 1, 1.4 }, speed = 18,
      colour = { 1, 0.95, 0.82, 0.5 }, layer = 1 } },
    states = { initial = "seeking", ridden = { rides = {} }, seeking = { seeks = {} }, chasing = { chases = {} },
      returning = { returns = {} } } },
  bounty = { components = { prop = {}, transform = {}, bounty = {}, sprite = create_sprite(6, 2), sensor = {},
    lifetime = 9,
    body = create_body(15, "bounty", "hunter") } },
  -- An outlaw flees for two seconds, then is tired and so slow that hunters can ram it.
  outlaw = { components = { prop = {}, transform = {}, outlaw = {}, sprite = create_sprite(5, 3), sensor = {},
    lifetime = 18,
    body = create_body(20, "outlaw", { "hunter", "rock" }) },
    states = { initial = "roaming", roaming = { outlaw = { speed = 120, clock = 0 }, roams = {} },
      fleeing = { outlaw = { speed = 305, clock = 2 }, flees = {} },
      tired = { outlaw = { speed = 40, clock = 1.6 }, tires = {} } } },
  rock = { components = { prop = {}, transform = { scale_x = 0, scale_y = 0 }, sprite = create_sprite(12, 1),
    body = create_body(28, "rock", { "hunter", "outlaw" }), occluder = {} } },
  spawner = { components = { prop = {}, spawner = {} } },
  banner = { components = { prop = {}, lifetime = 2.4, transform = { x = 640 }, text = create_text(64),
    text_style = { outline = "#fbe7b4", outline_width = 6 } } },
  popup = { components = { transform = {}, lifetime = 0.9, text = create_text(28),
    text_style = { outline = "#fff3d6", outline_width = 2 } } },
  puff = create_burst(14, 0.6, 140, 14, { 1, 0.95, 0.82, 0.8 }), glint = create_burst(7, 0.45, 150, 6, looks.gold),
  title_menu = create_list(button("@title.ride", "play"), button(tr.key("menu.players", { n = 1 }), "more_players"),
    button("@menu.options", "menu.options"), button("@menu.quit", "menu.quit")),
  pause_menu = menu.panel { heading = "@menu.paused", width = 320, components = { prop = {} },
    button("@menu.resume", "pause.resume", true), button("@menu.options", "menu.options"),
    button("@menu.start_again", "again"), button("@menu.quit_to_title", "pause.leave") },
  over_menu = menu.settling(create_list(button("@over.again", "again"), button("@menu.quit_to_title", "pause.leave"))),
}
