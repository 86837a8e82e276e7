-- Assemblages: the templates for the game's entities. Food is spawned as `morsel`, which systems/flow.lua defines.
local looks = assets.json "looks.json"
local menu = require "menu"
local button = menu.button
local function create_list(...) return menu.panel { style = "plain", components = { prop = {} }, ... } end
local function create_dish(i) return { button = { emits = "serve" }, name = "dish " .. i } end

return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 18 },
    camera = { background = looks.paper } } },
  CollisionRect = { components = { prop = {}, position = {}, appearance = {}, collision = {} } },
  rectangle = { is = "CollisionRect", components = { health = {} } },
  eater = { is = "CollisionRect", components = { health = { value = 60 }, playerControlled = {} } },
  popup = { components = { transform = {}, popup = {}, lifetime = 0.9,
    text = menu.text(26, { layer = 6, colour = looks.ink }),
    text_style = { outline = "#ffffff", outline_width = 3 } } },
  crumbs = { components = { transform = {}, emitter = { rate = 0, burst = 10, duration = 0.1, finish = "destroy",
    spin = 8, life = 0.5, speed = 220, speeds = { 1, 0.2 }, size = 11, size_vary = 0.5, sizes = { 1, 0 }, layer = 4,
    image = "crumb.png" } } },
  title_menu = create_list(button("@title.one", "play"), button("@title.two", "play_two"),
    button("@menu.options", "menu.options"),
    button("@menu.quit", "menu.quit")),
  pause_menu = menu.panel { heading = "@menu.paused", components = { prop = {} },
    button("@menu.resume", "pause.resume", true), button("@menu.options", "menu.options"),
    button("@menu.start_again", "again"), button("@menu.quit_to_title", "pause.leave") },
  over_menu = menu.settling(create_list(button("@menu.play_again", "again"),
    button("@menu.quit_to_title", "pause.leave"))),
  course_menu = { children = { create_dish(1), create_dish(2), create_dish(3) },
  components = { prop = {}, panel = { style = "plain" },
    widget = { width = 620, layer = 5 } } },
}
