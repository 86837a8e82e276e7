-- Assemblages: the templates for the game's entities.
local looks = assets.json "looks.json"

local function figure(frame, layer) return { image = "figures.png", frame = frame, layer = layer } end
local function body(radius, category, mask) return { radius = radius, category = category, mask = mask } end
local function words(px) return { size = px, font = looks.font, align = "center", layer = 6, colour = looks.ink } end
local function dust(values)
  values.soft, values.colours, values.speeds = 0.5, { "#ffffff", "#ffffff00" }, { 1, 0.2 }
  return values
end
local function burst(count, life, speed, size, colour)
  return { components = { transform = {}, emitter = dust { rate = 0, burst = count, duration = 0.1, finish = "destroy",
    life = life, speed = speed, size = size, sizes = { 1, 0.3 }, colour = colour, layer = 4 } } }
end
-- Returns a menu. The arguments after `heading` are pairs of button text and event. In a menu with a heading, Escape
-- presses the first button.
local function menu(heading, ...)
  local children, list = { heading and { label = { text = heading, style = "title", align = "centre" } } }, { ... }
  for i = 1, #list, 2 do
    children[#children + 1] = { button = { text = list[i], emits = list[i + 1], cancel = heading ~= nil and i == 1 } }
  end
  return { children = children, components = { prop = {}, widget = { width = 320, layer = 5 },
    panel = { modal = heading ~= nil, style = not heading and "plain" or nil } } }
end
return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 16 }, ambient = looks.sky,
    camera = { background = looks.days[1].ground }, sprite = { image = "ground.png", layer = -5 } } },
  stash = { components = { transform = {}, stash = {}, light = looks.fire,
    sprite = { image = "stash.png", layer = -3 } } },
  -- The state of a hunter decides which system sets its intent: the controls of a player (`ridden`) or an AI mood.
  hunter = { components = { prop = {}, hunter = {}, sprite = figure(1, 3), sensor = {}, light = looks.lamp,
    occluder = looks.rider, body = body(21, "hunter", { "hunter", "outlaw", "bounty", "rock" }),
    emitter = dust { on = false, rate = 16, life = 0.6, size = 9, sizes = { 0.5, 1, 1.4 }, speed = 18,
      colour = { 1, 0.95, 0.82, 0.5 }, layer = 1 } },
    states = { initial = "seeking", ridden = { rides = {} }, seeking = { seeks = {} }, chasing = { chases = {} },
      returning = { returns = {} } } },
  bounty = { components = { prop = {}, transform = {}, bounty = {}, sprite = figure(6, 2), sensor = {}, lifetime = 9,
    body = body(15, "bounty", "hunter") } },
  -- An outlaw flees for two seconds, then is tired and so slow that hunters can ram it.
  outlaw = { components = { prop = {}, transform = {}, outlaw = {}, sprite = figure(5, 3), sensor = {}, lifetime = 18,
    body = body(20, "outlaw", { "hunter", "rock" }) },
    states = { initial = "roaming", roaming = { outlaw = { speed = 120, clock = 0 }, roams = {} },
      fleeing = { outlaw = { speed = 305, clock = 2 }, flees = {} },
      tired = { outlaw = { speed = 40, clock = 1.6 }, tires = {} } } },
  rock = { components = { prop = {}, transform = { scale_x = 0, scale_y = 0 }, sprite = figure(12, 1),
    body = body(28, "rock", { "hunter", "outlaw" }), occluder = {} } },
  spawner = { components = { prop = {}, spawner = {} } },
  banner = { components = { prop = {}, lifetime = 2.4, transform = { x = 640 }, text = words(64),
    text_style = { outline = "#fbe7b4", outline_width = 6 } } },
  popup = { components = { transform = {}, lifetime = 0.9, text = words(28),
    text_style = { outline = "#fff3d6", outline_width = 2 } } },
  puff = burst(14, 0.6, 140, 14, { 1, 0.95, 0.82, 0.8 }), glint = burst(7, 0.45, 150, 6, looks.gold),
  title_menu = menu(nil, "Ride alone", "one_player", "Two hunters", "two_players", "Options", "options",
    "Quit", "quit"),
  pause_menu = menu("Paused", "Resume", "resume", "Start again", "again", "Options", "options",
    "Quit to title", "leave"),
  over_menu = menu(nil, "Ride again", "again", "Quit to title", "leave"),
}
