-- Assemblages: the templates for the game's entities.
local looks, menu = require "looks", require "menu"
local button = menu.button
local function create_list(...) return menu.panel { components = { scenery = {} }, ... } end

return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 20 },
    camera = { bloom = 0.6, background = { 0.008, 0.010, 0.030, 1 } } } },
  paddle = { components = { transform = {}, paddle = {},
    shape = { kind = "rect", width = 16, height = looks.paddle_height, layer = 3 } } },
  ball = { components = { transform = { x = 640, y = 360 }, ball = {}, shape = { radius = looks.ball, layer = 4 } } },
  star = { components = { transform = { x = 640 }, star = {},
    shape = { kind = "polygon", colour = looks.gold, layer = 3,
      points = "0,-26 7.6,-8.4 24.7,-8 11,4.6 15.3,21 0,11.4 -15.3,21 -11,4.6 -24.7,-8 -7.6,-8.4" } } },
  shout = { components = { transform = {}, lifetime = 1.1, text = menu.text(40, { layer = 6, colour = looks.gold }) } },
  leg = { components = { leg = {} } },
  digits = { components = { transform = {}, digits = {}, text = menu.text(170,
    { layer = -1, colour = { 1, 1, 1, 0.2 } }) } },
  letter = { components = { scenery = {}, ["menu.backdrop"] = {}, transform = {},
    text = menu.text(190, { layer = 6 }) } },
  banner = { components = { scenery = {}, transform = { x = 640, y = 214 }, text = menu.text(84, { layer = 6 }) } },
  ghost = { components = { transform = {}, lifetime = 0.45,
    shape = { radius = looks.ball, layer = 1, blend = "add" } } },
  spark = { components = { transform = {}, shape = { layer = 2, blend = "add" }, lifetime = 0.6 } },
  ring = { components = { transform = {}, ripple = {}, lifetime = 0.9,
    shape = { radius = 14, filled = false, thickness = 3, layer = 2, blend = "add" } } },

  title_menu = create_list(button("@menu.one_player", "one_player"),
    button("@menu.two_players", "two_players"), button("@menu.options", "menu.options"),
    button("@menu.quit", "menu.quit")),
  over_menu = menu.settling(create_list(button("@menu.play_again", "again"),
    button("@menu.quit_to_title", "pause.leave"))),
}
