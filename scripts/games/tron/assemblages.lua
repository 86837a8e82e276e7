-- Templates for everything that can be spawned.
local function button(text, emits, cancel) return { button = { text = text, emits = emits, cancel = cancel } } end
local function menu(modal, ...)
  local panel = { prop = {}, panel = { modal = modal }, widget = { width = 330, layer = 8 } }
  return { children = { ... }, components = panel }
end
local function words(size) return { size = size, font = "fonts/ui-bold.ttf", align = "center", layer = 7 } end

return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 18 },
    camera = { bloom = 0.7, background = { 0.004, 0.010, 0.020, 1 } } } },
  cycle = { components = { prop = {}, transform = {}, cycle = {},
    shape = { kind = "polygon", points = "16,0 10,-6 -10,-6 -16,-4 -16,4 -10,6 10,6", layer = 4 },
    sound_space = { range = 1800, within = 500 },
    sound = { file = "engine.wav", loop = true, volume = 0.28, bus = "engines", fade_in = 0.4, fade_out = 0.1 },
    emitter = { on = false, rate = 90, life = 0.35, life_vary = 0.5, spread = 1.1, angle = math.pi, speed = 240,
      speed_vary = 0.6, size = 3, sizes = { 1, 0.2 }, stretch = 0.03, blend = "add", layer = 5,
      colours = { "#ffffff", "#ffd080", "#ff400000" } } } },
  wall = { components = { prop = {}, wall = {} } },
  gem = { components = { prop = {}, transform = { scale_x = 0 }, gem = {}, lifetime = 14,
    shape = { kind = "polygon", layer = 4 } } },
  shards = { components = { transform = {}, emitter = { rate = 0, life = 1.1, life_vary = 0.6, speed = 420,
    speed_vary = 0.9, speeds = { 1, 0.25, 0 }, size = 7, size_vary = 0.6, sizes = { 1, 0.8, 0 }, spin = 9,
    stretch = 0.015, blend = "add", layer = 5, finish = "destroy" } } },
  ring = { components = { transform = {}, lifetime = 0.8,
    shape = { radius = 8, filled = false, thickness = 4, layer = 5, blend = "add" } } },
  popup = { components = { transform = {}, lifetime = 1, text = words(30) } },
  banner = { components = { prop = {}, transform = { x = 640 }, text = words(76) } },
  title_menu = menu(false, button("One player", "one_player"), button("Two players", "two_players"),
    button("Options", "options"), button("Quit", "quit")),
  pause_menu = menu(true, { label = { text = "Paused", style = "title", align = "centre" } },
    button("Resume", "resume", true), button("Options", "options"), button("Quit to title", "leave")),
  over_menu = menu(false, button("Play again", "again"), button("Quit to title", "leave")),
}
