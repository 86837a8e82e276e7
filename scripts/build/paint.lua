-- Paints small pictures for the generators of assets: shapes with smooth edges on a canvas, written as a PNG. Shapes
-- are signed distance functions: negative inside. A canvas is a square from -1 to 1, y down.
local bit, ffi = require "bit", require "ffi"
local floor, max, min, abs, sqrt = math.floor, math.max, math.min, math.abs, math.sqrt

ffi.cdef [[
  unsigned long compressBound(unsigned long size);
  int compress2(uint8_t *out, unsigned long *out_size, const uint8_t *data, unsigned long size, int level);
  unsigned long crc32(unsigned long crc, const uint8_t *data, unsigned int size);
]]
local zlib = ffi.load "z"

local M = {}

-- --- shapes

function M.circle(x, y, radius)
  return function(px, py) return sqrt((px - x) ^ 2 + (py - y) ^ 2) - radius end
end

function M.box(x, y, width, height, rounding)
  rounding = rounding or 0
  return function(px, py)
    local dx, dy = abs(px - x) - width / 2 + rounding, abs(py - y) - height / 2 + rounding
    return sqrt(max(dx, 0) ^ 2 + max(dy, 0) ^ 2) + min(max(dx, dy), 0) - rounding
  end
end

-- Returns the shape of a line through the points x, y, x, y …, which is 2 × `radius` wide.
function M.path(radius, points)
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

function M.polygon(points)
  local closed = { unpack(points) }
  closed[#closed + 1], closed[#closed + 2] = points[1], points[2]
  local outline = M.path(0, closed)
  return function(px, py)
    local is_inside = false
    for i = 1, #closed - 3, 2 do
      local ax, ay, bx, by = closed[i], closed[i + 1], closed[i + 2], closed[i + 3]
      if (ay > py) ~= (by > py) and px < (bx - ax) * (py - ay) / (by - ay) + ax then is_inside = not is_inside end
    end
    return is_inside and -outline(px, py) or outline(px, py)
  end
end

-- Returns a shape that consists of a square for each # in `rows`, `cell` wide.
function M.bitmap(x, y, cell, rows)
  return function(px, py)
    local row = rows[floor((py - y) / cell) + 1] or ""
    local column = floor((px - x) / cell) + 1
    return column > 0 and row:sub(column, column) == "#" and -1 or 1
  end
end

function M.outline(shape, width)
  return function(px, py) return abs(shape(px, py)) - width / 2 end
end

-- --- canvases

local function parse_colour(hex)
  return tonumber(hex:sub(2, 3), 16), tonumber(hex:sub(4, 5), 16), tonumber(hex:sub(6, 7), 16)
end

-- Returns a transparent canvas of size × size pixels.
function M.canvas(size)
  local canvas = { size = size, pixels = ffi.new("float[?]", size * size * 4) }

  -- Mixes the colour into every pixel by `get_share`, a function of the pixel's position.
  local function mix(hex, get_share)
    local r, g, b = parse_colour(hex)
    for i = 0, size * size - 1 do
      local share = get_share((i % size + 0.5) / size * 2 - 1, (floor(i / size) + 0.5) / size * 2 - 1)
      local p = canvas.pixels + i * 4
      local alpha = share + p[3] / 255 * (1 - share)
      local part = alpha > 0 and share / alpha or 0
      p[0], p[1], p[2] = p[0] + (r - p[0]) * part, p[1] + (g - p[1]) * part, p[2] + (b - p[2]) * part
      p[3] = alpha * 255
    end
  end

  function canvas.fill(hex, shape, opacity)
    mix(hex, function(x, y) return max(0, min(1, 0.5 - shape(x, y) * size / 2)) * (opacity or 1) end)
  end
  -- Draws light around a shape. The light fades within the distance `reach`.
  function canvas.glow(hex, shape, reach, opacity)
    mix(hex, function(x, y) return max(0, 1 - max(0, shape(x, y)) / reach) ^ 2 * opacity end)
  end
  -- Fills everything with a vertical gradient.
  function canvas.gradient(top, bottom)
    mix(top, function() return 1 end)
    mix(bottom, function(_, y) return (y + 1) / 2 end)
  end
  -- Makes everything outside of the shape transparent.
  function canvas.clip(shape)
    for i = 0, size * size - 1 do
      local x, y = (i % size + 0.5) / size * 2 - 1, (floor(i / size) + 0.5) / size * 2 - 1
      canvas.pixels[i * 4 + 3] = canvas.pixels[i * 4 + 3] * max(0, min(1, 0.5 - shape(x, y) * size / 2))
    end
  end
  return canvas
end

-- --- PNG

local function to_bytes(n)
  return string.char(bit.rshift(n, 24), bit.band(bit.rshift(n, 16), 255), bit.band(bit.rshift(n, 8), 255),
    bit.band(n, 255))
end

local function encode_chunk(kind, data)
  local crc = zlib.crc32(0, kind .. data, #kind + #data)
  return to_bytes(#data) .. kind .. data .. to_bytes(tonumber(crc))
end

-- Writes canvases of the same size as one PNG, next to each other.
function M.write(path, canvases)
  local size, rows = canvases[1].size, {}
  for y = 0, size - 1 do
    rows[#rows + 1] = "\0"
    for _, canvas in ipairs(canvases) do
      for i = y * size * 4, (y + 1) * size * 4 - 1 do
        rows[#rows + 1] = string.char(floor(canvas.pixels[i] + 0.5))
      end
    end
  end
  local raw = table.concat(rows)
  local out_size = ffi.new("unsigned long[1]", zlib.compressBound(#raw))
  local out = ffi.new("uint8_t[?]", out_size[0])
  assert(zlib.compress2(out, out_size, raw, #raw, 9) == 0)
  local file = assert(io.open(path, "wb"))
  file:write("\137PNG\r\n\26\n", encode_chunk("IHDR", to_bytes(size * #canvases) .. to_bytes(size) .. "\8\6\0\0\0"),
    encode_chunk("IDAT", ffi.string(out, out_size[0])), encode_chunk("IEND", ""))
  file:close()
end

return M
