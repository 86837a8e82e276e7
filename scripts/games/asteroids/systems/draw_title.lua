-- Draws the title screen: the name, the best score and the controls, around the menu.
local tuning = require "tuning"
local strokes = require "lib.strokes"
local looks = require "lib.looks"
local crew = require "lib.crew"
local menu = require "menu"

local text, gold, ship = tuning.colours.text, tuning.colours.gold, tuning.colours.ship
local controls = {
  { "title.turn", { "left", "right" } }, { "title.thrust", { "thrust" } }, { "title.fire", { "fire" } },
  { "title.hyperspace", { "warp" } },
}

local function draw_keys(lines, columns, top)
  for i, line in ipairs(lines) do
    local y = top + i * 26
    draw.colour(text[1], text[2], text[3], 0.5)
    strokes.draw(line[1], tuning.width / 2 + columns[1], y, 14, "right")
    for k = 2, #line do
      draw.colour(text[1], text[2], text[3], line[1] == "" and 0.5 or 0.9)
      strokes.draw(line[k], tuning.width / 2 + columns[k], y, 14)
    end
  end
end

local function get_last_line() return { tr "title.pause", input.prompt "pause" } end

-- Returns the lines with the controls on the device in use.
local function list_controls()
  local lines = {}
  for i, line in ipairs(controls) do lines[i] = { tr(line[1]), menu.name_control(line[2]) } end
  lines[#lines + 1] = get_last_line()
  return lines
end

-- Returns the lines with the controls of players 1 and 2.
local function list_controls_of_several()
  local lines = { { "", tr("menu.player", { n = 1 }), tr("menu.player", { n = 2 }) } }
  for _, line in ipairs(controls) do
    lines[#lines + 1] = { tr(line[1]), menu.name_control(line[2], 1), menu.name_control(line[2], 2) }
  end
  lines[#lines + 1] = get_last_line()
  return lines
end

-- Draws the controls of two players. The columns move apart if the names of the first player's keys are long.
local function draw_keys_of_several()
  local lines, width = list_controls_of_several(), 0
  for _, line in ipairs(lines) do width = math.max(width, strokes.width(line[2], 14)) end
  local shift = math.max(0, width - 248) / 2
  draw_keys(lines, { -190 - shift, -150 - shift, 130 + shift }, 526)
end

-- Draws the ships of several players in a row under the menu.
local function draw_crew(list)
  for i, player in ipairs(#list > 1 and list or {}) do
    local x, colour = tuning.width / 2 + (i - (#list + 1) / 2) * 56, crew.get_colour(player.number)
    local points, hull = {}, looks.numbers(crew.get_hull(player.number))
    for k = 1, #hull, 2 do points[k], points[k + 1] = x + hull[k + 1], 520 - hull[k] end
    draw.colour(colour[1], colour[2], colour[3], 1)
    draw.polygon(points, false, 2.5)
  end
end

return {
  phase = "render",
  after = { "draw_hud" },
  when = { game = { phase = "title" } },
  update = function()
    if players.in_match() then return end -- a match has the lobby instead of a title
    if world.count("shoal.options") > 0 then return end -- the name would show beside the options
    local middle, clock = tuning.width / 2, world.single.game.clock
    draw.space "screen"
    draw.layer(11)
    for depth = 4, 1, -1 do -- offset copies, which make the letters look three-dimensional
      draw.colour(0.20 - 0.035 * depth, 0.20 - 0.04 * depth, 0.62 - 0.11 * depth)
      strokes.draw("ROCKFALL", middle, 150 + depth * 5, 112, "center", 4)
    end
    local glow = 1 + 0.12 * math.sin(clock * 3)
    draw.colour(ship[1] * glow, ship[2] * glow, ship[3] * glow)
    strokes.draw("ROCKFALL", middle, 150, 112, "center", 5)
    local list, count = players.list(), 0
    for _, player in ipairs(list) do count = count + (player.is_local and 1 or 0) end
    if count > 1 then draw_keys_of_several()
    else draw_keys(list_controls(), { -40, 0 }, 532) end
    draw.colour(text[1], text[2], text[3], 0.5)
    strokes.draw(menu.name_history_keys(), middle, count > 1 and 702 or 696, 11, "center")
    draw_crew(list)
    if settings.best > 0 then
      draw.colour(gold[1], gold[2], gold[3], 0.9)
      strokes.draw(tr("menu.best", { n = settings.best }), middle, 296, 16, "center")
    end
  end,
}
