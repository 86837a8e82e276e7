-- Draws everything that is not an entity: drifting stars, the ground, tails of shots, the cannon's power-ups, score,
-- lives, wave and prompts.
local looks, bursts, powerups = assets.json "looks.json", assets.json "bursts.json", require "lib.powerups"
local menu, boss_colour = require "menu", require("lib.looks").boss_colour

local function draw_field(shots)
  local left, top, width, height = window.area()
  draw.layer(-3)
  for i = 1, 130 * width * height / (1280 * 720) do
    local depth = 0.2 + (i * 37 % 80) / 100
    draw.colour(0.6, 0.7, 1, 0.12 + 0.45 * depth * (0.6 + 0.4 * math.sin(world.tick * 0.03 + i)))
    draw.circle(left + i * 797.3 % width, top + (i * 331.7 + world.tick * depth * 0.5) % (690 - top), 0.5 + depth)
  end
  draw.colour(0.25, 0.9, 0.6, 0.9)
  draw.line(left, looks.ground_y, left + width, looks.ground_y, 2)
  draw.colour(0.2, 0.8, 0.6, 0.25)
  -- additional distance between two lines of the ground at the lower edge of the window
  local depth = (top + height - looks.ground_y) * 30 / (720 - looks.ground_y)
  for i = -14 - math.ceil(-left / 48), 14 + math.ceil(-left / 48) do
    draw.line(640 + i * 48, looks.ground_y, 640 + i * (48 + depth), top + height, 1)
  end
  draw.layer(5)
  draw.colour(0, 0, 0.02, world.single.match.phase == "over" and 0.88 or 0)
  draw.rect(left, top, width, height, true)
  draw.layer(0)
  draw.blend("add")
  for k = 1, 4 do -- draws each shot as four overlapping bars of different lengths, so that its tail fades out
    draw.colour(0.3, 0.9, 1, 0.1)
    for i = 1, shots.count do draw.rect(shots.transform.x[i] - 2.5, shots.transform.y[i], 5, k * 22, true) end
  end
  draw.blend("alpha")
end

-- Fades the saucer outside the field, because a wide window would show where it appears and disappears.
local function cover_saucer()
  draw.layer(4)
  for e in world.each("saucer", "transform") do
    local x, y = e.transform.x, e.transform.y
    draw.colour(0, 0, 0.02, math.max(0, math.min(1, (math.abs(x - 640) - 640) / 50)))
    draw.rect(x - 45, y - 25, 90, 50, true)
  end
end

-- Draws the shield around the cannon, and a bar for the remaining time of each power-up.
local function draw_effects()
  local cannon = world.find("cannon")
  if not cannon then return end
  local x, bars = cannon.transform.x, 0
  draw.layer(3)
  for _, name in ipairs(powerups.kinds) do
    local left = cannon:has(name) and cannon[name].left or 0
    draw.colour(powerups.colours[name])
    if left > 0 then
      bars = bars + 1
      draw.rect(x - left * 2, looks.ground_y + bars * 7, left * 4, 4, true)
    end
    if left > 0 and name == "shield" then
      draw.circle(x, looks.cannon_y - 2, 38, false, 2 + math.sin(world.tick * 0.2))
    end
  end
end

local function draw_text(words, x, y, size, align, colour)
  draw.colour(colour)
  draw.text(words, x, y, size, align)
end

-- Draws the mother ship's armour as a bar of blocks.
local function draw_armour()
  local ship = world.find("boss")
  if not ship then return end
  local boss = ship.boss
  local width, colour = 480 / boss.max, boss_colour(world.single.match.wave)
  for i = 0, boss.max - 1 do
    draw.colour(i < boss.health and colour or { 1, 1, 1, 0.12 })
    draw.rect(400 + i * width, 66, width - 2, 8, true)
  end
end

-- Continues the strip at the top to the sides of the window.
local function draw_strip_ends()
  local left, _, width = window.area()
  for _, x in ipairs { left, 1280 } do
    draw.colour(0.02, 0.03, 0.09, 0.85)
    draw.rect(x, 0, (width - 1280) / 2, 58, true)
    draw.colour(0.25, 0.9, 0.6, 0.5)
    draw.line(x, 58, x + (width - 1280) / 2, 58, 2)
  end
end

-- Draws score, wave and best score on a strip at the top, and the spare cannons below the ground.
local function draw_hud(match)
  local shows_times = match.times > 1 and world.tick - match.hit_at < 100
  local score = tr(shows_times and "score_times" or "score", { n = match.score, times = match.times })
  draw.colour(0.02, 0.03, 0.09, 0.85)
  draw.rect(0, 0, 1280, 58, true)
  draw.colour(0.25, 0.9, 0.6, 0.5)
  draw.line(0, 58, 1280, 58, 2)
  draw_text(score, 28, 13, 30, "left", looks.white)
  local best = match.is_best and tr "menu.new_best" or match.record > 0 and tr("menu.best", { n = match.record }) or ""
  draw_text(best, 1252, 13, 30, "right", match.is_best and looks.gold or looks.white)
  local above = match.demo and tr("menu.press_to_play", { key = input.prompt("skip") })
    or tr("wave", { n = match.wave })
  local glow = match.demo and { 1, 1, 1, 0.65 + 0.25 * math.sin(world.tick * 0.08) } or looks.white
  draw_text(above, 640, 13, 30, "center", glow)
  draw_armour()
  draw.colour(looks.cyan)
  local spare = match.lives - (world.find("cannon") and 1 or 0)
  for i = 1, spare do draw.image("figures.png", i * 40, 702, 0, 1.6, 1.6, 9) end
end

-- Draws the letters of the power-ups with their names.
local function draw_legend()
  for i, kind in ipairs(powerups.kinds) do
    local x = 640 + (i - 2) * 230 - 70
    draw.colour(powerups.colours[kind])
    draw.circle(x, 622, 15, false, 2)
    draw.text(powerups.letters[kind], x, 611, 19, "center")
    draw.text(bursts[kind].words, x + 26, 611, 19, "left")
  end
end

local function draw_texts(match)
  draw.layer(7)
  if match.phase == "title" then
    if world.count("shoal.options") > 0 then return end
    for i, worth in ipairs { 30, 20, 10, "?" } do draw_text(worth, 125 + i * 210, 285, 24, "left", looks.white) end
    local best = settings.best > 0 and tr("menu.best_so_far", { n = settings.best }) or ""
    draw_text(best, 640, 350, 24, "center", looks.white)
    draw_legend()
    draw_text(menu.name_history_keys(), 640, 667, 17, "center", looks.dim)
    return draw_text(tr("title.keys", { move = menu.name_control { "move-", "move+" }, fire = input.prompt("fire"),
      pause = input.prompt("pause.pause") }), 640, 643, 19, "center", looks.dim)
  end
  draw.font("fonts/ui-bold.ttf")
  draw_strip_ends()
  draw_hud(match)
  if match.phase ~= "over" then return end
  local key = match.is_best and "over.new_best" or match.record > 0 and "over.score_and_best" or "over.score"
  local result = tr(key, { n = match.score, best = match.record })
  draw_text(result, 640, 440, 30, "center", match.is_best and looks.gold or looks.white)
end

return {
  phase = "render",
  query = { "shot", "transform" },
  update = function(q)
    draw_field(q)
    cover_saucer()
    draw_effects()
    draw.space("screen")
    draw_texts(world.single.match)
  end,
}
