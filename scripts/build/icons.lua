-- Generates the icons of the games, which windows and packages show: `luajit scripts/build/icons.lua [FOLDER]` writes
-- FOLDER/GAME/assets/icon.png for each game (default: scripts/games). Shapes are signed distance functions in a square
-- from -1 to 1, y down: negative inside, so that edges are smooth.
local bit, ffi = require "bit", require "ffi"
local floor, max, min, abs, sqrt = math.floor, math.max, math.min, math.abs, math.sqrt

ffi.cdef [[
  unsigned long compressBound(unsigned long size);
  int compress2(uint8_t *out, unsigned long *out_size, const uint8_t *data, unsigned long size, int level);
  unsigned long crc32(unsigned long crc, const uint8_t *data, unsigned int size);
]]
local zlib = ffi.load "z"

local SIZE = 128
local games = (arg[0]:match("^(.*)/") or ".") .. "/../games"

-- --- shapes

local function circle(x, y, radius)
  return function(px, py) return sqrt((px - x) ^ 2 + (py - y) ^ 2) - radius end
end

local function box(x, y, width, height, rounding)
  rounding = rounding or 0
  return function(px, py)
    local dx, dy = abs(px - x) - width / 2 + rounding, abs(py - y) - height / 2 + rounding
    return sqrt(max(dx, 0) ^ 2 + max(dy, 0) ^ 2) + min(max(dx, dy), 0) - rounding
  end
end

-- Returns the line through the points x, y, x, y …, which is 2 × `radius` wide.
local function path(radius, points)
  return function(px, py)
    local nearest = math.huge
    for i = 1, #points - 3, 2 do
      local ax, ay, bx, by = points[i], points[i + 1], points[i + 2], points[i + 3]
      local dx, dy = bx - ax, by - ay
      local share = max(0, min(1, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy)))
      nearest = min(nearest, sqrt((px - ax - dx * share) ^ 2 + (py - ay - dy * share) ^ 2))
    end
    return nearest - radius
  end
end

local function polygon(points)
  local closed = { unpack(points) }
  closed[#closed + 1], closed[#closed + 2] = points[1], points[2]
  local outline = path(0, closed)
  return function(px, py)
    local is_inside = false
    for i = 1, #closed - 3, 2 do
      local ax, ay, bx, by = closed[i], closed[i + 1], closed[i + 2], closed[i + 3]
      if (ay > py) ~= (by > py) and px < (bx - ax) * (py - ay) / (by - ay) + ax then is_inside = not is_inside end
    end
    return is_inside and -outline(px, py) or outline(px, py)
  end
end

-- Returns the squares of a drawing: each # is one, `cell` wide.
local function bitmap(x, y, cell, rows)
  return function(px, py)
    local row = rows[floor((py - y) / cell) + 1] or ""
    local column = floor((px - x) / cell) + 1
    return column > 0 and row:sub(column, column) == "#" and -1 or 1
  end
end

local function outline(shape, width)
  return function(px, py) return abs(shape(px, py)) - width / 2 end
end

-- --- painting

local function parse_colour(hex)
  return tonumber(hex:sub(2, 3), 16), tonumber(hex:sub(4, 5), 16), tonumber(hex:sub(6, 7), 16)
end

local plate = box(0, 0, 1.94, 1.94, 0.4)

local function create_canvas()
  local canvas = { pixels = ffi.new("float[?]", SIZE * SIZE * 4) }

  -- Mixes the colour into every pixel by `get_share`, a function of the pixel's position in the square.
  local function mix(hex, get_share, is_plate)
    local r, g, b = parse_colour(hex)
    for i = 0, SIZE * SIZE - 1 do
      local x, y = (i % SIZE + 0.5) / SIZE * 2 - 1, (floor(i / SIZE) + 0.5) / SIZE * 2 - 1
      local share, p = get_share(x, y), canvas.pixels + i * 4
      p[0], p[1], p[2] = p[0] + (r - p[0]) * share, p[1] + (g - p[1]) * share, p[2] + (b - p[2]) * share
      if is_plate then p[3] = 255 * max(0, min(1, 0.5 - plate(x, y) * SIZE / 2)) end
    end
  end

  function canvas.fill(hex, shape, opacity)
    mix(hex, function(x, y) return max(0, min(1, 0.5 - shape(x, y) * SIZE / 2)) * (opacity or 1) end)
  end
  function canvas.glow(hex, shape, reach, opacity)
    mix(hex, function(x, y) return max(0, 1 - max(0, shape(x, y)) / reach) ^ 2 * opacity end)
  end
  -- Fills the rounded plate of the icon with a vertical gradient.
  function canvas.background(top, bottom)
    mix(top, function() return 1 end, true)
    mix(bottom, function(_, y) return (y + 1) / 2 end)
  end
  return canvas
end

-- Strokes a shape as a glowing line.
local function neon(canvas, hex, shape)
  canvas.glow(hex, shape, 0.3, 0.55)
  canvas.fill(hex, shape)
end

-- --- the icons

local icons = {}

function icons.asteroids(canvas)
  canvas.background("#141a3c", "#05060f")
  neon(canvas, "#8f7bf0", outline(polygon { 0.2, -0.72, 0.5, -0.8, 0.78, -0.52, 0.72, -0.16, 0.42, -0.02, 0.12, -0.2,
    0.2, -0.44, 0.06, -0.56 }, 0.07))
  neon(canvas, "#e070c8", outline(polygon { -0.74, -0.5, -0.52, -0.66, -0.32, -0.5, -0.38, -0.24, -0.66, -0.22 }, 0.06))
  local ship = polygon { 0.28, 0.06, 0.02, 0.78, -0.2, 0.44, -0.6, 0.36 }
  canvas.fill("#0d1c30", ship)
  neon(canvas, "#8ff0ff", outline(ship, 0.09))
end

function icons.rectangle_eater(canvas)
  canvas.background("#f7f3e8", "#efe9d8")
  canvas.fill("#f2c11d", box(0.62, -0.62, 0.7, 0.7))
  canvas.fill("#214fa8", box(-0.74, 0.7, 0.5, 0.56))
  canvas.fill("#141414", box(0.27, -0.7, 0.1, 0.6))
  canvas.fill("#141414", box(0.62, -0.27, 0.7, 0.1))
  canvas.fill("#141414", box(-0.05, 0.14, 1.14, 1.14))
  canvas.fill("#ffffff", box(-0.05, 0.14, 0.96, 0.96))
  for _, x in ipairs { -0.28, 0.2 } do
    canvas.fill("#141414", box(x, 0, 0.34, 0.34))
    canvas.fill("#ffffff", box(x, 0, 0.24, 0.24))
    canvas.fill("#141414", box(x + 0.05, 0.05, 0.12, 0.12))
  end
  canvas.fill("#141414", box(-0.02, 0.42, 0.56, 0.26))
  canvas.fill("#d6281f", box(-0.02, 0.42, 0.46, 0.16))
end

function icons.tron(canvas)
  canvas.background("#06202c", "#02060c")
  for i = -2, 2 do
    canvas.fill("#17566b", box(i * 0.4, 0, 0.02, 1.9), 0.5)
    canvas.fill("#17566b", box(0, i * 0.4, 1.9, 0.02), 0.5)
  end
  neon(canvas, "#ff8a1e", path(0.06, { 0.8, 0.4, 0.8, -0.6, 0.2, -0.6, 0.2, 0 }))
  neon(canvas, "#4debff", path(0.06, { -0.8, -0.4, -0.8, 0.6, -0.2, 0.6, -0.2, -0.2, 0.08, -0.2 }))
  canvas.fill("#ffffff", circle(0.08, -0.2, 0.1))
  canvas.fill("#ffffff", polygon { 0.2, 0.14, 0.06, -0.02, 0.34, -0.02 })
end

function icons.rpg_battle(canvas)
  canvas.background("#f3c98b", "#a8b060")
  canvas.fill("#fff0c8", circle(0.42, -0.45, 0.26))
  canvas.fill("#3b2616", path(0.17, { -0.5, 0.5, 0.55, -0.55 }))
  canvas.fill("#e8eef4", path(0.1, { -0.2, 0.2, 0.54, -0.54 }))
  canvas.fill("#b5482f", path(0.09, { -0.5, 0.5, -0.3, 0.3 }))
  canvas.fill("#3b2616", path(0.11, { -0.5, 0.06, -0.06, 0.5 }))
  canvas.fill("#e2c48a", path(0.06, { -0.48, 0.08, -0.08, 0.48 }))
  local shield = polygon { 0.02, 0.14, 0.42, 0.04, 0.82, 0.14, 0.78, 0.56, 0.42, 0.84, 0.06, 0.56 }
  canvas.fill("#3a68b0", shield)
  canvas.fill("#f7d88c", box(0.42, 0.42, 0.09, 0.7))
  canvas.fill("#f7d88c", box(0.42, 0.36, 0.68, 0.09))
  canvas.fill("#3b2616", outline(shield, 0.09))
end

function icons.bounty_hunter(canvas)
  canvas.background("#e9c98a", "#c08a4a")
  local points = {}
  for i = 0, 9 do
    local angle, reach = math.pi * (i / 5 - 0.5), i % 2 == 0 and 0.78 or 0.36
    points[2 * i + 1], points[2 * i + 2] = math.cos(angle) * reach, math.sin(angle) * reach + 0.04
  end
  local star = polygon(points)
  for i = 1, 9, 2 do canvas.fill("#3a2216", circle(points[2 * i - 1] * 0.99, points[2 * i], 0.15)) end
  canvas.fill("#3a2216", outline(star, 0.14))
  for i = 1, 9, 2 do canvas.fill("#f4d35e", circle(points[2 * i - 1] * 0.99, points[2 * i], 0.09)) end
  canvas.fill("#f4d35e", star)
  canvas.fill("#b5332c", circle(0, 0.04, 0.24))
  canvas.fill("#3a2216", outline(circle(0, 0.04, 0.24), 0.07))
end

function icons.invaders(canvas)
  canvas.background("#111a3a", "#04060f")
  local alien = bitmap(-0.75, -0.75, 0.125, { "..##....##..", ".#..####..#.", "..########..", ".##########.",
    "##..####..##", "##.#.##.#.##", "############", ".####..####.", "..##.##.##..", ".##......##." })
  canvas.fill("#5cffa0", alien)
  canvas.fill("#4debff", box(0, 0.78, 0.6, 0.16))
  canvas.fill("#4debff", box(0, 0.66, 0.16, 0.2))
end

function icons.pong(canvas)
  canvas.background("#101536", "#05060f")
  canvas.fill("#3a4a8c", box(0, -0.6, 0.04, 0.3))
  canvas.fill("#3a4a8c", box(0, 0.6, 0.04, 0.3))
  neon(canvas, "#37e0ff", box(-0.68, -0.12, 0.16, 0.86, 0.05))
  neon(canvas, "#ff4fa3", box(0.68, 0.16, 0.16, 0.86, 0.05))
  for i = 4, 1, -1 do
    canvas.fill("#ffffff", circle(0.28 - i * 0.14, 0.06 + i * 0.06, 0.16 - i * 0.02), 0.34 - 0.07 * i)
  end
  neon(canvas, "#ffffff", circle(0.28, 0.06, 0.16))
end

function icons.lantern(canvas)
  canvas.background("#2a2447", "#0e0b16")
  canvas.glow("#f0a456", circle(0, 0.14, 0.3), 0.75, 0.75)
  local function pixels(hex, rows) canvas.fill(hex, bitmap(-0.75, -0.9, 0.125, rows)) end
  pixels("#575a84", { "", "....####....", "...#....#...", "...#....#...", "...######...", "..########..",
    "..#......#..", "..#......#..", "..#......#..", "..#......#..", "..#......#..", "..########..", "...######..." })
  pixels("#ffe186", { "", "", "", "", "", "", "...######...", "...######...", "...######...", "...######...",
    "...######..." })
  pixels("#f0a456", { "", "", "", "", "", "", "...##..##...", "...#....#...", "...#....#...", "...##..##...",
    "...######..." })
  pixels("#ffffff", { "", "", "", "", "", "", "", "", ".....##.....", ".....##....." })
end

-- --- PNG output

local function to_bytes(n)
  return string.char(bit.rshift(n, 24), bit.band(bit.rshift(n, 16), 255), bit.band(bit.rshift(n, 8), 255),
    bit.band(n, 255))
end

local function encode_chunk(kind, data)
  local crc = zlib.crc32(0, kind .. data, #kind + #data)
  return to_bytes(#data) .. kind .. data .. to_bytes(tonumber(crc))
end

local function encode_png(pixels)
  local rows = {}
  for y = 0, SIZE - 1 do
    rows[#rows + 1] = "\0"
    for i = y * SIZE * 4, (y + 1) * SIZE * 4 - 1 do rows[#rows + 1] = string.char(floor(pixels[i] + 0.5)) end
  end
  local raw = table.concat(rows)
  local size = ffi.new("unsigned long[1]", zlib.compressBound(#raw))
  local out = ffi.new("uint8_t[?]", size[0])
  assert(zlib.compress2(out, size, raw, #raw, 9) == 0)
  return "\137PNG\r\n\26\n" .. encode_chunk("IHDR", to_bytes(SIZE) .. to_bytes(SIZE) .. "\8\6\0\0\0")
    .. encode_chunk("IDAT", ffi.string(out, size[0])) .. encode_chunk("IEND", "")
end

for game, paint in pairs(icons) do
  local canvas = create_canvas()
  paint(canvas)
  local file = assert(io.open((arg[1] or games) .. "/" .. game .. "/assets/icon.png", "wb"))
  file:write(encode_png(canvas.pixels))
  file:close()
end
