-- Draws everything as rectangles: the food, the eater's face, the frame with its text, and the title picture.
local looks, menu, draw_phase = assets.json "looks.json", require "menu", {}
local traits, plate = assets.json "traits.json", require "lib.plate"
local MOVING = { "go_y-", "go_x-", "go_y+", "go_x+" }
local FIELD = 300 -- width of the field for keys on the title picture, in pixels
local KEYS = 3 -- seconds for which a game of two players shows their keys

local function draw_text(text, x, y, size, align, colour)
  draw.colour(colour or looks.ink)
  draw.text(text, x, y, size, align or "center")
end

local function draw_block(x, y, width, height, colour, line) -- draws a rectangle with an outline, centred on x, y
  draw.colour(looks.ink)
  draw.rect(x - width / 2 - line, y - height / 2 - line, width + 2 * line, height + 2 * line, true)
  draw.colour(colour)
  draw.rect(x - width / 2, y - height / 2, width, height, true)
end

-- Draws the face of an eater: it looks in its direction of movement, opens its mouth, and flashes red if `hungry`.
-- `is_second`: true for the second player's eater, which wears a hat.
local function draw_face(x, y, width, height, colour, mouth, hungry, is_second)
  local side = math.min(width, height)
  local flash = hungry and (settings.flashes < 0.5 or math.floor(world.time * 6) % 2 == 0) -- steady without flashes
  draw_block(x, y, width, height, flash and looks.tones[1] or colour, side * 0.08 + 2)
  if is_second then
    draw_block(x, y - height * 0.62, width * 1.2, side * 0.06, looks.tones[2], 2)
    draw_block(x, y - height * 0.78, width * 0.7, side * 0.26, looks.tones[2], 2)
  end
  for _, offset in ipairs { -0.24, 0.24 } do
    local ex, ey = x + width * offset + side * mouth.x * 0.1, y - height * 0.14 + side * mouth.y * 0.1
    draw_block(ex, ey, side * 0.26, side * (world.tick % 200 < 8 and 0.02 or 0.28), looks.tones[4], 2)
    draw.colour(looks.ink)
    draw.rect(ex + side * (mouth.x * 0.06 - 0.06), ey + side * (mouth.y * 0.06 - 0.06), side * 0.12, side * 0.12, true)
  end
  local lip_x, lip_y = x + side * (mouth.x * 0.12 - 0.2), y + height * 0.22 + side * mouth.y * 0.06
  local openness = math.min(1, mouth.open * 6)
  draw_block(lip_x + side * 0.2, lip_y + side * (0.03 + 0.1 * openness), side * 0.4, side * (0.06 + 0.2 * openness),
    looks.tones[1], 1.5)
end

local function to_colour(colors, alpha) return { colors.r / 255, colors.g / 255, colors.b / 255, alpha } end

-- Returns the sizes of the smallest and of the largest eater.
local function find_sizes()
  local smallest, largest = math.huge, 0
  for e in world.each("playerControlled", "collision") do
    smallest, largest = math.min(smallest, e.collision.size), math.max(largest, e.collision.size)
  end
  return smallest, largest
end

-- Draws the teeth of a rectangle that bites: a zigzag line.
local function draw_teeth(x, y, width, height)
  local count = math.max(2, math.floor(width / 11))
  local step, bite = width * 0.7 / count, math.min(height * 0.16, 7)
  draw.colour(looks.tones[4])
  for i = 0, count - 1 do
    local left, way = x - width * 0.35 + i * step, i % 2 * 2 - 1
    draw.line(left, y - bite * way, left + step, y + bite * way, 2.5)
  end
end

-- Draws an entity that has an appearance and a position. Rectangles that bite are black and show teeth. If only the
-- larger eater can eat it, a rectangle is black with a core in its colour. Without `collision`, it is transparent.
local function draw_rectangle(e, smallest, largest)
  local appearance, position = e.appearance, e.position
  local width = 2 * appearance.size * appearance.aspect * appearance.grown
  local height = 2 * appearance.size / appearance.aspect * appearance.grown
  local colour = to_colour(appearance.colors, 1)
  if e:has("playerControlled") then
    draw.layer(3)
    local is_hungry, mouth = e:has("health") and e.health.value < plate.STARVING, e.mouth
    if mouth.grace <= 0 or world.tick % 8 < 5 then
      draw_face(position.x, position.y, width, height, colour, mouth, is_hungry, e.playerControlled.player == 2)
    end
  elseif e:has("collision") then
    local is_biting = e.collision.size >= smallest
    draw.layer(is_biting and 0 or 1)
    draw_block(position.x, position.y, width, height, is_biting and looks.ink or colour, 3)
    if is_biting and e.collision.size < largest then
      draw.colour(colour)
      draw.rect(position.x - width / 4, position.y - height / 4, width / 2, height / 2, true)
    elseif is_biting then
      draw_teeth(position.x, position.y, width, height)
    end
  else
    draw.layer(-1)
    draw.colour(to_colour(appearance.colors, 0.25))
    draw.rect(position.x - width / 2, position.y - height / 2, width, height, true)
  end
end

local function draw_bellies() -- draws a health bar for each eater
  local bellies = {}
  for e in world.each("playerControlled", "health") do bellies[#bellies + 1] = e end
  for i, e in ipairs(bellies) do
    local width, value = (440 + 8) / #bellies - 8, e.health.value
    local x = 420 + (i - 1) * (width + 8)
    draw.colour(looks.tones[value < 30 and 1 or 3])
    draw.rect(x, 8, width * math.max(0, math.min(100, value)) / 100, 56, true)
    draw.colour(looks.ink)
    if i > 1 then draw.rect(x - 8, 8, 8, 56, true) end
    local number = math.max(i, e.playerControlled.player)
    draw_text(#bellies > 1 and tr("belly_of", { n = number }) or tr "belly", x + width / 2, 22, 24)
  end
end

-- Draws each player's keys below the player's eater when a game of two players begins.
local function draw_keys(match)
  if match.players < 2 or match.course > 1 or match.phase ~= "course" or match.clock > KEYS then return end
  draw.layer(4)
  draw.text_style { outline = "#f7f3e8", outline_width = 6 }
  for e in world.each("playerControlled", "position", "appearance") do
    local player, position, size = e.playerControlled.player, e.position, e.appearance.size
    draw_text(menu.name_control(MOVING, player), position.x, math.min(676, position.y + size + 16), 22)
  end
  draw.text_style()
end

-- Announces the course in the frame, so that the plate stays visible.
local function draw_announcement(match)
  if match.phase ~= "course" or match.clock >= 1.6 then return end
  local last_trait = #match.traits > 0 and traits[match.traits[#match.traits]]
  draw.colour(looks.paper)
  draw.rect(420, 8, 440, 56, true)
  local text = last_trait and tr("announce", { trait = last_trait.sentence }) or tr "eat"
  draw_text(text, 640, 18, 34, "center", looks.tones[1])
end

local function draw_plate(q, match)
  draw.layer(-3)
  draw.colour(looks.faint)
  for x = 94, 1266, 80 do draw.rect(x, looks.top, 2, 628, true) end
  for y = 158, 706, 80 do draw.rect(looks.left, y, 1252, 2, true) end
  local smallest, largest = find_sizes()
  for i = 1, q.count do draw_rectangle(q.entity[i], smallest, largest) end
  draw_keys(match)
  draw.layer(4)
  draw.space("screen")
  draw.colour(looks.ink)
  for _, line in ipairs(looks.frame) do draw.rect(line[1], line[2], line[3], line[4], true) end
  draw.colour(looks.paper)
  draw.rect(14, 8, 1252, 56, true)
  draw_bellies()
  draw.colour(looks.tones[2])
  local seconds = match.demo and looks.demo_seconds or looks.seconds
  draw.rect(14, 64, match.phase == "course" and 1252 * math.max(0, 1 - match.clock / seconds) or 0, 8, true)
  draw.colour(looks.ink)
  for _, x in ipairs { 412, 860 } do draw.rect(x, 0, 8, 64, true) end
  draw_text(match.points, 36, 16, 36, "left", match.is_best and looks.tones[1])
  draw_text(tr("worth", { n = ("%.2g"):format(match.worth) }), 392, 24, 24, "right", looks.tones[2])
  local best = match.is_best and tr "menu.new_best"
    or match.record > 0 and tr("menu.best", { n = match.record }) or ""
  draw_text(best, 1244, 22, 24, "right", looks.grey)
  local left = math.ceil(math.max(0, seconds - match.clock))
  local course = match.phase == "course" and "course_left" or "course"
  draw_text(tr(course, { n = match.course, seconds = left }), 884, 22, 24, "left")
  draw.text_style { outline = "#f7f3e8", outline_width = 6 }
  local is_demo = match.demo and match.phase ~= "over"
  if is_demo then draw_text(tr("menu.press_to_play", { key = input.prompt("skip") }), 640, 660, 24) end
  draw.text_style()
  draw_announcement(match)
end

local function draw_sheet(height)
  draw.layer(5)
  draw_block(640, 390, 720, height, looks.paper, 12)
end

-- Draws the traits that the rectangles have so far, two per line.
local function draw_traits(match)
  local items = {}
  for _, number in ipairs(match.traits) do items[#items + 1] = traits[number] and traits[number].item end
  draw_text(tr(#items == 0 and "dishes.only_shrink" or "dishes.so_far"), 640, 528, 20, "center", looks.grey)
  for i = 1, #items, 2 do
    local line = items[i + 1] and tr("dishes.two", { a = items[i], b = items[i + 1] }) or items[i]
    draw_text(line, 640, 542 + 12 * i, 18)
  end
end

function draw_phase.menu(match)
  draw_sheet(470)
  draw_text(tr("dishes.title", { n = match.course }), 640, 176, 44)
  draw_text(tr "dishes.question", 640, 240, 26, "center", looks.grey)
  draw_traits(match)
end

function draw_phase.over(match)
  draw_sheet(470)
  local heading = match.full and "over.full" or "over.starved"
  draw_text(tr(heading), 640, 170, 76, "center", looks.tones[match.full and 2 or 1])
  draw_text(tr("over.points", { n = match.points }), 640, 270, 40)
  local best = match.is_best and tr "over.new_best"
    or settings.best > 0 and tr("menu.best", { n = settings.best }) or ""
  draw_text(best, 640, 326, 26, "center", match.is_best and looks.tones[1] or looks.grey)
  local hint = match.full and "" or tr "over.hint"
  draw_text(hint, 640, 376, 22)
  draw_text(match.demo and tr("menu.press_to_play", { key = input.prompt("skip") }) or "", 640, 480, 26)
end

-- Draws a text in the lower right field of the title picture, on several lines and with smaller letters if it
-- would not fit.
local function draw_fitted(text, y, size)
  if draw.text_size(text, size) > FIELD then text = text:gsub("     ", "\n") end
  draw_text(text, 1115, y, math.min(size, size * FIELD / draw.text_size(text, size)))
end

local function draw_title_words()
  local time = world.time
  local mouth = { x = math.cos(time), y = math.sin(time * 0.7), open = math.max(0, math.sin(time * 5)) / 6 }
  draw_face(165, 126, 120, 120, looks.tones[4], mouth, false)
  draw_block(235, 500, 50, 36, looks.tones[3], 3)
  draw_text(tr "title.food", 235, 532, 22)
  draw_block(235, 616, 96, 64, looks.ink, 3)
  draw_teeth(235, 616, 96, 64)
  draw_text(tr "title.bites", 235, 662, 22)
  draw_text("RECTANGLE EATER", 805, 22, 84)
  for i = 1, 3 do draw_text(tr("title.rules." .. i), 640, 124 + 28 * i, 22) end
  draw_text(settings.best > 0 and tr "title.best" or "", 1115, 230, 24, "center", looks.grey)
  draw_text(settings.best > 0 and settings.best or "", 1115, 262, 60)
  draw_fitted(tr("title.keys", { move = menu.name_control(MOVING) }), 636, 22)
  draw_fitted(menu.name_history_keys(), 672, 16)
end

-- Continues the frame as a composition of lines and blocks, up to the edges of the window.
local function draw_surroundings()
  local left, top, width, height = window.area()
  local right, bottom = left + width, top + height
  draw.layer(-4)
  for _, block in ipairs { { 3, left, 0, -left, 250 }, { 1, 1280, 470, right - 1280, 250 },
    { 2, 860, top, 420, -top }, { 3, 0, 720, 412, bottom - 720 } } do
    draw.colour(looks.tones[block[1]])
    draw.rect(block[2], block[3], block[4], block[5], true)
  end
  draw.colour(looks.ink)
  for _, y in ipairs { 0, 244, 464, 708 } do
    draw.rect(left, y, -left, 12, true)
    draw.rect(1280, y, right - 1280, 12, true)
  end
  for _, x in ipairs { 0, 406, 854, 1268 } do
    draw.rect(x, top, 12, -top, true)
    draw.rect(x, 720, 12, bottom - 720, true)
  end
  draw.layer(0)
end

function draw_phase.title()
  draw.space("screen")
  for _, cell in ipairs(looks.composition) do
    local x, y, colour = cell[1] + cell[3] / 2, cell[2] + cell[4] / 2, looks.tones[cell[5]] or looks.paper
    draw_block(x, y, cell[3] - 14, cell[4] - 14, colour, 7)
  end
  if world.count("shoal.options") == 0 then draw_title_words() end -- the options would cover half of the words
end

return {
  phase = "render",
  query = { "appearance", "position" },
  update = function(q)
    local match = world.single.match
    draw.font("fonts/ui-bold.ttf")
    draw_surroundings()
    if match.phase ~= "title" then draw_plate(q, match) end
    if draw_phase[match.phase] then draw_phase[match.phase](match) end
  end,
}
