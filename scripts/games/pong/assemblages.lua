local looks = require "looks"

-- Returns a panel with an optional heading and with buttons { text, event }; Escape presses a button with `cancel`.
local function menu(heading, buttons)
  local children = { heading and { label = { text = heading, style = "title", align = "centre" } } }
  for _, button in ipairs(buttons) do
    children[#children + 1] = { button = { text = button[1], emits = button[2], cancel = button.cancel } }
  end
  return { components = { scenery = {}, panel = { modal = heading ~= nil }, widget = { width = 340, layer = 5 } },
    children = children }
end

return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 20 },
    camera = { bloom = 0.6, background = { 0.008, 0.010, 0.030, 1 } } } },
  paddle = { components = { transform = {}, paddle = {},
    shape = { kind = "rect", width = 16, height = looks.paddle_height, layer = 3 } } },
  ball = { components = { transform = { x = 640, y = 360 }, ball = {}, shape = { radius = looks.ball, layer = 4 } } },
  digits = { components = { transform = {}, digits = {}, text = { size = 170, font = "fonts/ui-bold.ttf",
    align = "center", layer = -1, colour = { 1, 1, 1, 0.2 } } } },
  letter = { components = { scenery = {}, transform = {}, text = { size = 190, font = "fonts/ui-bold.ttf",
    align = "center", layer = 6 } } },
  banner = { components = { scenery = {}, transform = { x = 640, y = 214 }, text = { size = 84, align = "center",
    font = "fonts/ui-bold.ttf", layer = 6 } } },
  ghost = { components = { transform = {}, lifetime = 0.45,
    shape = { radius = looks.ball, layer = 1, blend = "add" } } },
  spark = { components = { transform = {}, shape = { layer = 2, blend = "add" }, lifetime = 0.6 } },
  ring = { components = { transform = {}, ripple = {}, lifetime = 0.9,
    shape = { radius = 14, filled = false, thickness = 3, layer = 2, blend = "add" } } },

  title_menu = menu(nil, { { "One player", "one_player" }, { "Two players", "two_players" }, { "Options", "options" },
    { "Quit", "quit" } }),
  pause_menu = menu("Paused", { { "Resume", "resume", cancel = true }, { "Options", "options" },
    { "Quit to title", "leave" } }),
  over_menu = menu(nil, { { "Play again", "again" }, { "Quit to title", "leave" } }),
}
