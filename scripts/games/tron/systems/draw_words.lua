-- Draws the title, the scores above the arena, and prompts.
local looks, menu = assets.json "looks.json", require "menu"
local STEERING = { "up", "left", "down", "right" }

local function get_name(side) return menu.name_player(side) or looks.names[side] end

local function draw_text(text, x, y, size, align, colour)
  draw.colour(colour or "#7f9fb4")
  draw.text(text, x, y, size, align)
end
-- Draws a letter of the title; its lines of light appear one by one.
local function draw_letter(strokes, x, y, time, colour)
  for k = 4, 0, -1 do
    draw.colour(k == 0 and 1 or colour[1], k == 0 and 1 or colour[2], k == 0 and 1 or colour[3], k < 2 and 1 or 0.10)
    for i, line in ipairs(strokes) do
      local part = math.max(0, math.min(1, time * 3 - (i - 1))) * 1.2
      local x1, y1, width = x + line[1] * 1.2, y + line[2] * 1.2, k == 0 and 1.5 or 4 + (k - 1) * 7
      if part > 0 then draw.line(x1, y1, x1 + (line[3] - line[1]) * part, y1 + (line[4] - line[2]) * part, width) end
    end
  end
end

-- Draws a dark strip across the arena behind each banner, which hides the gems and walls that it covers. At the end of
-- a single player's game, the strip includes the score below the banner.
local function draw_strips(match)
  local below = match.phase == "over" and match.players == 1 and 96 or 0
  for e in world.each("prop", "text", "transform") do
    local text, y, scale = e.text, e.transform.y, e.transform.scale_y
    local middle, height = y + text.size * 0.58, (text.size + 24) * scale
    draw.colour(0.004, 0.010, 0.020, 0.93)
    draw.rect(looks.left, middle - height / 2, looks.columns * looks.cell, height + below, true)
    draw.colour(text.colour.r, text.colour.g, text.colour.b, 0.5)
    draw.rect(looks.left, middle - height / 2 - 1, looks.columns * looks.cell, 2, true)
    draw.rect(looks.left, middle + height / 2 + below - 1, looks.columns * looks.cell, 2, true)
  end
end

-- Explains the gems: draws their shapes and effects in a row.
local function draw_gems(y, opacity)
  for i, kind in ipairs { "charge", "breach", "purge" } do
    local x, colour, points = 640 + (i - 2) * 300 - 90, looks.gems[kind], {}
    for number in looks.shapes[kind]:gmatch "[%-%d%.]+" do points[#points + 1] = tonumber(number) end
    for k = 1, #points, 2 do points[k], points[k + 1] = x + points[k], y + points[k + 1] end
    draw.colour(colour[1], colour[2], colour[3], opacity)
    draw.polygon(points, true)
    for _, rect in ipairs(looks.details[kind] or {}) do draw.rect(x + rect[1], y + rect[2], rect[3], rect[4], true) end
    draw.circle(x, y, 17, false, 2)
    draw.text(tr("gems." .. kind), x + 28, y - 12, 19, "left")
  end
end

local function draw_title(match)
  if world.count("shoal.options") > 0 then return end -- the options would cover half of the words
  draw.layer(5)
  for i = 1, #looks.title do
    local x, colour = 640 + (i - (#looks.title + 1) / 2) * 180 - 60, looks.colours[(i - 1) % 2 + 1]
    draw_letter(looks.title[i], x, 122, match.clock - 0.25 * i, colour)
  end
  draw_gems(596, 1)
  local best = settings.best > 0 and tr("menu.best_so_far", { n = settings.best }) or ""
  draw_text(best, 640, 256, 24, "center", looks.gems.purge)
  draw_text(tr("title.keys", { steer = menu.name_control(STEERING), boost = input.prompt("boost"),
    pause = input.prompt("pause.pause") }), 640, 624, 19, "center")
  draw_text(tr "title.rules", 640, 649, 19, "center")
  draw_text(menu.name_history_keys(), 640, 674, 17, "center")
end

-- Draws the name of each side and the number of rounds that it has won or, for a single player, the level, the lives
-- and the score.
local function draw_scores(match, is_single, is_demo)
  local score = tr(match.is_best and "menu.new_best_of" or "menu.score", { n = match.score })
  for side = 1, is_single and 0 or is_demo and 3 or 2 do
    local text = tr("wins", { name = get_name(side), n = match["wins" .. side] })
    local is_right = side == 2 and not is_demo
    draw_text(text, is_right and 1264 or side * 200 - 184, 20, 28, is_right and "right" or "left", looks.colours[side])
  end
  if is_demo then
    draw_text(tr("menu.press_to_play", { key = input.prompt("skip") }), 1264, 22, 22, "right", "#ffffffc0")
  end
  if not is_single then return end
  draw_text(tr("level_lives", { level = match.round, lives = match.lives }), 640, 22, 26, "center")
  draw_text(score, 16, 18, 30, "left", match.is_best and looks.gems.charge or looks.colours[1])
  if match.record > 0 and not match.is_best then
    draw_text(tr("menu.best", { n = match.record }), 1264, 22, 26, "right")
  end
  if match.phase == "over" then draw_text(score, 640, 330, 32, "center", looks.gems.charge) end
end

-- Draws the players' names at their cycles before a round, and the keys of the players on this machine.
local function draw_keys(is_shared)
  for e in world.each("cycle", "transform") do
    local cycle, x, y = e.cycle, e.transform.x, e.transform.y
    if cycle.player > 0 then
      local keys = menu.is_local(cycle.player) and menu.name_control(STEERING, is_shared and cycle.player or nil) or ""
      local name = is_shared and get_name(cycle.side) or "@menu.you"
      local margin = draw.text_size(keys, 22) / 2 + 24 -- keeps long names of keys inside the arena
      x = math.max(margin, math.min(1280 - margin, x))
      draw_text(name, x, y - 66, 28, "center", looks.colours[cycle.side])
      draw_text(keys, x, y + 30, 22, "center", looks.colours[cycle.side])
    end
  end
end

return {
  phase = "render",
  update = function()
    local match = world.single.match
    draw.space("screen")
    if match.phase == "title" then return draw_title(match) end
    draw.layer(6)
    draw_strips(match)
    draw.font("fonts/ui-bold.ttf")
    draw_scores(match, match.players == 1, match.players == 0)
    local is_split = not world.find("eye").camera.enabled
    -- in a network match, each machine shows one player's view
    if is_split and menu.is_local(1) and menu.is_local(2) then
      draw.colour "#17566b"
      draw.rect(638, 64, 4, 536)
    end
    if match.phase == "ready" and match.players > 0 then
      draw_gems(is_split and 560 or 640, 1) -- the map covers the lower position
      -- In split screen, positions in the arena differ from positions on the screen.
      if not is_split then draw_keys(match.players == 2) end
    end
  end,
}
