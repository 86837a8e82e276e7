-- Assemblages: the templates for the game's entities.
local menu = require "menu"
local button = menu.button
local function create_list(...) return menu.panel { width = 330, layer = 8, components = { prop = {} }, ... } end

return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 18 },
    camera = { bloom = 0.7, background = { 0.004, 0.010, 0.020, 1 } }, sound_listener = {} } },
  half = { components = { prop = {}, transform = {}, shaken = { pixels = 12 },
    camera = { zoom = 1.7, bloom = 0.7 }, viewport = { y = 64, width = 638, height = 656 },
    follow = { seconds = 0.12, left = 0, top = 68, right = 1280, bottom = 724 } } },
  map = { components = { prop = {}, transform = { x = 640, y = 396 }, camera = { zoom = 0.17, bloom = 0.7 },
    viewport = { x = 528, y = 600, width = 224, height = 116, order = 1 } } },
  cycle = { components = { prop = {}, transform = {}, cycle = {},
    shape = { kind = "polygon", points = "16,0 10,-6 -10,-6 -16,-4 -16,4 -10,6 10,6", layer = 4 },
    sound_space = { range = 1800, within = 500 },
    sound = { file = "engine.wav", loop = true, volume = 0.28, bus = "engines", fade_in = 0.4, fade_out = 0.1 },
    emitter = { enabled = false, angle = math.pi, colours = { "#ffffff", "#ffd080", "#ff400000" }, layer = 5 } } },
  wall = { components = { prop = {}, wall = {} } },
  gem = { components = { prop = {}, transform = { scale_x = 0 }, gem = {}, lifetime = 14,
    shape = { kind = "polygon", layer = 4 } } },
  shards = { components = { transform = {}, emitter = { rate = 0, speeds = { 1, 0.25, 0 }, sizes = { 1, 0.8, 0 },
    spin = 9, stretch = 0.015, blend = "add", layer = 5, finish = "destroy" } } },
  ring = { components = { transform = {}, lifetime = 0.8,
    shape = { radius = 8, filled = false, thickness = 4, layer = 5, blend = "add" } } },
  popup = { components = { transform = {}, lifetime = 1, text = menu.text(30, { layer = 7 }),
    text_style = { outline = "#02060c", outline_width = 4 } } },
  banner = { components = { prop = {}, transform = { x = 640 },
    text = menu.text(76, { space = "screen", layer = 7 }) } },
  title_menu = create_list(button("@menu.one_player", "one_player"),
    button("@menu.two_players", "two_players"), button("@menu.options", "menu.options"),
    button("@menu.quit", "menu.quit")),
  pause_menu = { is = "pause.menu", -- the menu is drawn below a round's banners
    components = { prop = {}, transform = { y = 130 }, widget = { width = 330, layer = 8 } } },
  over_menu = menu.settling(create_list(button("@menu.play_again", "again"),
    button("@menu.quit_to_title", "pause.leave"))),
}
