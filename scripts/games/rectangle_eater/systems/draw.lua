-- Draws everything as rectangles: the food, the eater's face, the frame with its texts, and the title picture.
local looks, shows = assets.json "looks.json", {}
local traits = assets.json "traits.json"
-- The components that traits add or change and, for each, the field that the menu between courses shows.
local IS = { food = "decay", flees = "speed", hunts = "speed", drifts = "speed", breeds = "count", blinks = "seconds" }

local function draw_text(words, x, y, size, align, colour)
  draw.colour(colour or looks.ink)
  draw.text(words, x, y, size, align or "center")
end

local function draw_block(x, y, width, height, colour, line) -- draws a rectangle with an outline, centred on x, y
  draw.colour(looks.ink)
  draw.rect(x - width / 2 - line, y - height / 2 - line, width + 2 * line, height + 2 * line, true)
  draw.colour(colour)
  draw.rect(x - width / 2, y - height / 2, width, height, true)
end

-- Draws the eater: a white rectangle that looks in its direction of movement and opens its mouth. It blinks red if its
-- health is low.
local function draw_face(x, y, side, look_x, look_y, open, health)
  draw_block(x, y, side, side, looks.tones[health < 25 and math.floor(world.time * 6) % 2 == 0 and 1 or 4],
    side * 0.08 + 2)
  for _, off in ipairs { -0.24, 0.24 } do
    local ex, ey = x + side * (off + look_x * 0.1), y + side * (look_y * 0.1 - 0.14)
    draw_block(ex, ey, side * 0.26, side * (world.tick % 200 < 8 and 0.02 or 0.28), looks.tones[4], 2)
    draw.colour(looks.ink)
    draw.rect(ex + side * (look_x * 0.06 - 0.06), ey + side * (look_y * 0.06 - 0.06), side * 0.12, side * 0.12, true)
  end
  draw.colour(looks.tones[1])
  local lip_x, lip_y = x + side * (look_x * 0.12 - 0.2), y + side * (0.22 + look_y * 0.06)
  draw.rect(lip_x, lip_y, side * 0.4, side * (0.06 + 0.2 * open), true)
end

local function draw_plate(q, match)
  draw.layer(-3)
  draw.colour(looks.faint)
  for x = 94, 1266, 80 do draw.rect(x, looks.top, 2, 628, true) end
  for y = 158, 706, 80 do draw.rect(looks.left, y, 1252, 2, true) end
  local eater = world.find("eater") --[[@as shoal.Entity]]
  local own, at = eater.eater, eater.transform
  for i = 1, q.count do
    local food, place, e = q.food, q.transform, q.entity[i]
    local side, pop = food.side[i], math.min(1, food.age[i] * 5)
    local hidden = e:has("blinks") and (food.age[i] + i * 0.37) % (2 * e.blinks.seconds) > e.blinks.seconds
    local colour = side < own.side and looks.tones[food.tone[i]] or looks.ink
    draw.layer(side < own.side and 1 or 0)
    local wide, high = side * food.aspect[i] * pop, side / food.aspect[i] * pop
    if not hidden then draw_block(place.x[i], place.y[i], wide, high, colour, 3) end
  end
  draw.layer(3)
  local shown = own.grace <= 0 or world.tick % 8 < 5
  if shown then draw_face(at.x, at.y, own.side, own.x, own.y, math.min(1, own.mouth * 6), own.health) end
  draw.layer(4)
  draw.space("screen")
  draw.colour(looks.ink)
  for _, line in ipairs(looks.frame) do draw.rect(line[1], line[2], line[3], line[4], true) end
  draw.colour(looks.paper)
  draw.rect(14, 8, 1252, 56, true)
  draw.colour(looks.tones[own.health < 30 and 1 or 3])
  draw.rect(420, 8, 440 * math.max(0, own.health) / 100, 56, true)
  draw.colour(looks.tones[2])
  local seconds = match.demo and looks.demo_seconds or looks.seconds
  draw.rect(14, 64, match.phase == "course" and 1252 * math.max(0, 1 - match.clock / seconds) or 0, 8, true)
  draw.colour(looks.ink)
  for _, x in ipairs { 412, 860 } do draw.rect(x, 0, 8, 64, true) end
  draw_text("Belly", 640, 22, 24)
  draw_text(match.points, 36, 16, 36, "left", match.is_best and looks.tones[1])
  draw_text(("x%.3g"):format(match.worth), 392, 24, 24, "right", looks.tones[2])
  draw_text("Best " .. settings.best, 1244, 22, 24, "right", looks.grey)
  draw_text("Course " .. match.course, 884, 22, 24, "left")
  draw.text_style { outline = "#f7f3e8", outline_width = 6 }
  local is_demo = match.demo and match.phase ~= "over"
  if is_demo then draw_text("Press " .. input.prompt("skip") .. " to play", 640, 660, 24) end
  local last = #match.traits > 0 and traits[match.traits[#match.traits]]
  local words = match.phase == "course" and match.clock < 1.6 and (last and "They " .. last.name .. "!" or "Eat!") or ""
  draw_text(words, 640, 200 - 40 * math.max(0, match.clock - 1.2), 60, "center", looks.tones[1])
  draw.text_style()
end

local function draw_sheet(height)
  draw.layer(5)
  draw_block(640, 390, 720, height, looks.paper, 12)
end

function shows.menu(match)
  local is = {}
  draw_sheet(470)
  draw_text("Course " .. match.course .. " eaten", 640, 176, 44)
  draw_text("What will rectangles be like from now on?", 640, 240, 26, "center", looks.grey)
  for e in world.each("food") do -- all rectangles have the same traits, so any of them will do
    for name, field in pairs(IS) do is[name] = e:has(name) and { [field] = e[name][field] } or nil end
  end
  draw_text("Now they are", 640, 530, 20, "center", looks.grey)
  draw.font("fonts/mono.ttf")
  draw_text(json.encode(is), 640, 562, 15)
end

function shows.over(match)
  draw_sheet(470)
  draw_text(match.full and "FULL" or "STARVED", 640, 170, 76, "center", looks.tones[match.full and 2 or 1])
  draw_text(match.points .. " points", 640, 270, 40)
  draw_text(match.is_best and "Best meal ever!" or "Best " .. settings.best, 640, 326, 26, "center",
    match.is_best and looks.tones[1] or looks.grey)
  draw_text(match.demo and "Press " .. input.prompt("skip") .. " to play" or "", 640, 480, 26)
end

function shows.title()
  draw.space("screen")
  for _, cell in ipairs(looks.composition) do
    local x, y, colour = cell[1] + cell[3] / 2, cell[2] + cell[4] / 2, looks.tones[cell[5]] or looks.paper
    draw_block(x, y, cell[3] - 14, cell[4] - 14, colour, 7)
  end
  draw_face(165, 126, 120, math.cos(world.time), math.sin(world.time * 0.7), math.max(0, math.sin(world.time * 5)), 100)
  draw_text("RECTANGLE EATER", 805, 22, 84)
  draw_text("Eat anything smaller than you: the smaller, the better.", 640, 152, 22)
  draw_text("Larger rectangles bite. Between courses you choose", 640, 180, 22)
  draw_text("what rectangles are like.", 640, 208, 22)
  draw_text("Best meal", 1115, 230, 24, "center", looks.grey)
  draw_text(settings.best, 1115, 262, 60)
  draw_text("Arrows, WASD or a pad", 1115, 650, 22)
end

return {
  phase = "render",
  query = { "food", "transform" },
  update = function(q)
    local match = world.single.match
    draw.font("fonts/ui-bold.ttf")
    if match.phase ~= "title" and world.find("eater") then draw_plate(q, match) end
    if shows[match.phase] then shows[match.phase](match) end
  end,
}
