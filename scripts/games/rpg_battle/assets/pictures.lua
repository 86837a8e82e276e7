-- Generates pictures.png, the pictures of the cards in the order of cards.json: `luajit pictures.lua [FOLDER]` writes
-- it to FOLDER (default: the folder of this file). Units and parts are painted from the shapes in looks.json.
local folder = arg[0]:match("^(.*)/") or "."
local paint = dofile(folder .. "/../../../build/paint.lua")
local SIZE = 104

local function read_json(name) -- reads a JSON file whose strings have no brackets or escapes
  local text = assert(io.open(folder .. "/" .. name)):read "*a"
  text = text:gsub("%[", "{"):gsub("%]", "}"):gsub('("[%w_]+")%s*:', "[%1] =")
  return assert(loadstring("return " .. text))()
end
local looks, cards, kinds = read_json "looks.json", read_json "cards.json", read_json "kinds.json"

-- Paints the shapes of entry `name` of looks.json; x, y: position of the unit's feet, scale: canvas units per pixel.
local function paint_look(canvas, name, kind, x, y, scale)
  local look = looks[name]
  local cos, sin = math.cos(look.angle or 0), math.sin(look.angle or 0)
  x, y = x + (look.x or 0) * scale, y + (look.y or 0) * scale
  for _, shape in ipairs(look.shapes) do
    local list, points = shape.at or shape.points, {}
    for i = 1, #list, 2 do
      points[i] = x + (list[i] * cos - list[i + 1] * sin) * scale
      points[i + 1] = y + (list[i] * sin + list[i + 1] * cos) * scale
    end
    local coat = looks.coats.left
    local colour = shape.colour == "coat" and coat[kind] or coat[shape.colour] or shape.colour
    canvas.fill(colour, shape.at and paint.circle(points[1], points[2], shape.radius * scale) or paint.polygon(points))
  end
end

local function paint_unit(canvas, kind, x, y, scale, added, removed)
  local kit = " " .. kinds[kind].unit.kit .. " " .. (added or "") .. " "
  if removed then kit = kit:gsub(" " .. removed .. " ", " ") end
  if kit:find " wings " then paint_look(canvas, "wings", kind, x, y, scale) end
  paint_look(canvas, "body", kind, x, y, scale)
  paint_look(canvas, "left", kind, x, y, scale)
  for part in kit:gmatch "%a+" do
    if part ~= "wings" then paint_look(canvas, part, kind, x, y, scale) end
  end
end

-- Draws an upward arrow, which means an increase of the pictured value.
local function paint_arrow(canvas)
  local arrow = paint.polygon { 0.6, -0.8, 0.92, -0.42, 0.7, -0.42, 0.7, 0.02, 0.5, 0.02, 0.5, -0.42, 0.28, -0.42 }
  canvas.fill("#3b2616", function(x, y) return arrow(x, y) - 0.05 end)
  canvas.fill("#6fd08a", arrow)
end

-- A plus sign: a new unit.
local function paint_plus(canvas)
  canvas.fill("#3b2616", paint.path(0.15, { 0.68, -0.9, 0.68, -0.42 }))
  canvas.fill("#3b2616", paint.path(0.15, { 0.44, -0.66, 0.92, -0.66 }))
  canvas.fill("#6fd08a", paint.path(0.09, { 0.68, -0.9, 0.68, -0.42 }))
  canvas.fill("#6fd08a", paint.path(0.09, { 0.44, -0.66, 0.92, -0.66 }))
end

local more = {}
function more.damage(canvas) -- a sword on a whetstone
  canvas.fill("#3b2616", paint.box(0, 0.62, 1.5, 0.4, 0.12))
  canvas.fill("#a8b0bc", paint.box(0, 0.62, 1.4, 0.3, 0.08))
  canvas.fill("#3b2616", paint.path(0.16, { -0.66, -0.4, 0.3, 0.3 }))
  canvas.fill("#eef3fa", paint.path(0.1, { -0.3, -0.14, 0.3, 0.3 }))
  canvas.fill("#8a5a30", paint.path(0.09, { -0.68, -0.42, -0.42, -0.22 }))
  canvas.fill("#3b2616", paint.path(0.07, { -0.18, -0.44, -0.46, 0.02 }))
end
function more.max(canvas) -- a bowl of soup with a heart
  canvas.fill("#3b2616", function(x, y) return math.max(paint.circle(0, 0.2, 0.82)(x, y), 0.14 - y) end)
  canvas.fill("#b5683f", function(x, y) return math.max(paint.circle(0, 0.2, 0.74)(x, y), 0.2 - y) end)
  canvas.fill("#3b2616", paint.box(0, 0.18, 1.8, 0.2, 0.1))
  canvas.fill("#f0d090", paint.box(0, 0.18, 1.64, 0.08, 0.04))
  for _, colour in ipairs { "#3b2616", "#d04a4a" } do
    local size = colour == "#3b2616" and 0.06 or 0
    canvas.fill(colour, paint.circle(-0.34, -0.46, 0.2 + size))
    canvas.fill(colour, paint.circle(-0.02, -0.46, 0.2 + size))
    canvas.fill(colour, paint.polygon { -0.54 - size, -0.4, 0.18 + size, -0.4, -0.18, 0.02 + size * 1.5 })
  end
end
function more.period(canvas) -- a drum with sticks
  canvas.fill("#3b2616", paint.box(-0.06, 0.4, 1.36, 0.86, 0.2))
  canvas.fill("#b5482f", paint.box(-0.06, 0.4, 1.24, 0.74, 0.16))
  canvas.fill("#f4ead2", paint.box(-0.06, 0.12, 1.24, 0.22, 0.1))
  for _, x in ipairs { -0.4, 0, 0.4 } do
    canvas.fill("#f4ead2", paint.path(0.03, { x - 0.2, 0.26, x, 0.72, x + 0.14, 0.26 }))
  end
  canvas.fill("#3b2616", paint.path(0.08, { -0.76, -0.66, -0.2, 0.06 }))
  canvas.fill("#8a5a30", paint.path(0.04, { -0.76, -0.66, -0.2, 0.06 }))
end

local canvases = {}
for i, card in ipairs(cards) do
  local canvas = paint.canvas(SIZE)
  canvases[i] = canvas
  if card.recruit then
    paint_unit(canvas, card.recruit, card.recruit == "flying_ranger" and 0.16 or -0.1, 0.84, 0.023)
    paint_plus(canvas)
  elseif card.part then
    local kind = kinds[card.kind] and card.kind
    paint_unit(canvas, kind, card.part == "wings" and 0.16 or -0.1, 0.84, 0.023, card.part, card.instead)
  else
    more[card.field](canvas)
    paint_arrow(canvas)
  end
end
paint.write((arg[1] or folder) .. "/pictures.png", canvases)
