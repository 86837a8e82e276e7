-- Assemblages: the templates for the game's entities. Food is spawned as `morsel`, which systems/flow.lua defines.
local looks = assets.json "looks.json"

-- Returns a menu. The arguments after `heading` are pairs of button text and event. In a menu with a heading, Escape
-- presses the first button.
local function menu(heading, ...)
  local children, list = { heading and { label = { text = heading, style = "title", align = "centre" } } }, { ... }
  for i = 1, #list, 2 do
    children[#children + 1] = { button = { text = list[i], emits = list[i + 1], cancel = heading ~= nil and i == 1 } }
  end
  return { children = children, components = { prop = {}, widget = { width = 340, layer = 5 },
    panel = { modal = heading ~= nil, style = not heading and "plain" or nil } } }
end
local function dish(i) return { button = { emits = "serve" }, name = "dish " .. i } end

return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 18 },
    camera = { background = looks.paper } } },
  eater = { components = { name = "eater", prop = {}, transform = { x = 640, y = 390 }, eater = {}, intent = {},
    sensor = {}, body = { kind = "box", category = "eater", mask = "food" } } },
  rectangle = { components = { prop = {}, transform = {}, food = {}, sensor = {},
    body = { kind = "box", category = "food", mask = "eater" } } },
  popup = { components = { transform = {}, lifetime = 0.9, text = { size = 26, font = "fonts/ui-bold.ttf",
    align = "center", layer = 6, colour = looks.ink }, text_style = { outline = "#ffffff", outline_width = 3 } } },
  crumbs = { components = { transform = {}, emitter = { rate = 0, burst = 10, duration = 0.1, finish = "destroy",
    spin = 8, life = 0.5, speed = 220, speeds = { 1, 0.2 }, size = 11, size_vary = 0.5, sizes = { 1, 0 }, layer = 4,
    image = "crumb.png" } } },
  title_menu = menu(nil, "Play", "play", "Options", "options", "Quit", "quit"),
  pause_menu = menu("Paused", "Resume", "resume", "Start again", "play", "Options", "options",
    "Quit to title", "leave"),
  over_menu = menu(nil, "Play again", "play", "Quit to title", "leave"),
  course_menu = { children = { dish(1), dish(2), dish(3) }, components = { prop = {}, panel = { style = "plain" },
    widget = { width = 620, layer = 5 } } },
}
