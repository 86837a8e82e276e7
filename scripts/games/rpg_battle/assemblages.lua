-- Assemblages: the templates for the game's entities.
local menu = require "menu"
local button = menu.button
local function create_list(...) return menu.panel { width = 320, layer = 8, components = { prop = {} }, ... } end
local function create_card(i)
  return { components = { panel = { style = "box", justify = "apart" }, widget = { width = 244, height = 372 } },
    children = { { label = { style = "heading", align = "centre" }, name = "title " .. i },
      { label = { image = "pictures.png", align = "centre" }, widget = { width = 104, height = 104 },
        name = "picture " .. i },
      { label = { wrap = true, align = "centre" }, name = "text " .. i }, button("@take", "card" .. i) } }
end

local assemblages = {
  eye = { components = { name = "eye", transform = { x = 640, y = 440 }, shaken = { pixels = 12 },
    camera = { zoom = 1.3, background = "#f3c98b" } } },
  field = { components = { name = "field", transform = { x = 640, y = 440 },
    sprite = { image = "field.png", width = 1020, height = 574, layer = -10 } } },
  unit = { components = { unit = {} } },
  shot = { components = { prop = {}, transform = {}, shot = {},
    shape = { kind = "polygon", points = "14,0 6,-3 6,-1 -14,-1 -14,1 6,1 6,3", colour = "#4a2f1a", layer = 600 } } },
  specks = { components = { transform = {}, emitter = { rate = 0, life = 0.7, life_vary = 0.5, speed = 150,
    speed_vary = 0.8, gravity_y = 260, size = 6, sizes = { 1, 0.3 }, layer = 610, finish = "destroy" } } },
  debris = { components = { transform = {}, lifetime = 1.3,
    shape = { kind = "rect", width = 22, height = 7, colour = "#8a6a48", layer = 98 } } },
  popup = { components = { transform = {}, number = {}, lifetime = 0.9, text = menu.text(24, { layer = 700 }),
    text_style = { outline = "#3b2616", outline_width = 2 } } },
  banner = { components = { prop = {}, transform = { x = 640 }, text = menu.text(58, { layer = 700 }),
    text_style = { outline = "#3b2616", outline_width = 5 } } },
  -- The cards are to the right of the player's team, which stays visible. The panel is not modal, because a modal panel
  -- would dim the team.
  cards = { components = { prop = {}, panel = { gap = 12 }, widget = { layer = 8 } },
    children = { { label = { text = "@choose", style = "title", align = "centre" } },
      { components = { panel = { layout = "row", style = "plain", padding = 0, gap = 12 } },
        children = { create_card(1), create_card(2), create_card(3) } },
      { label = { align = "centre" }, name = "enemies" } } },
  title_menu = create_list(button("@title.to_arms", "play"), button("@menu.options", "menu.options"),
    button("@menu.quit", "menu.quit")),
  pause_menu = { is = "pause.menu", components = { prop = {}, widget = { width = 320, layer = 8 } } },
  over_menu = menu.settling(create_list({ label = { style = "heading", align = "centre" }, name = "reached" },
    { label = { align = "centre" }, name = "final score" },
    { label = { align = "centre", style = "dim" }, name = "comparison" },
    button("@over.again", "play"), button("@menu.quit_to_title", "pause.leave"))),
}

-- Each entry of kinds.json becomes an assemblage: a kind of unit with its values and its initial parts.
for kind, declaration in pairs(assets.json "kinds.json") do
  local components = { health = { points = declaration.health.max, max = declaration.health.max } }
  for part in declaration.unit.kit:gmatch("%a+") do components[part] = {} end
  for _, name in ipairs { "unit", "walk", "attack", "pose" } do components[name] = declaration[name] end
  assemblages[kind] = { is = "unit", components = components }
end
return assemblages
