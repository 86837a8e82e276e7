-- luajit make.lua FOLDER: generates the images and the map for this benchmark and for tests/bench/draw_love. The images
-- consist of plain squares.
local folder = arg[1]

local function write(name, bytes)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(bytes)
  file:close()
end

local bit = require "bit"
local crc_table = {}
for n = 0, 255 do
  local c = n
  for _ = 1, 8 do c = bit.band(c, 1) == 1 and bit.bxor(0xedb88320, bit.rshift(c, 1)) or bit.rshift(c, 1) end
  crc_table[n] = c
end

local function big(n)
  return string.char(bit.band(bit.rshift(n, 24), 255), bit.band(bit.rshift(n, 16), 255),
    bit.band(bit.rshift(n, 8), 255), bit.band(n, 255))
end

local function chunk(kind, bytes)
  local c = bit.bnot(0)
  for i = 1, 4 + #bytes do
    local b = i <= 4 and kind:byte(i) or bytes:byte(i - 4)
    c = bit.bxor(crc_table[bit.band(bit.bxor(c, b), 255)], bit.rshift(c, 8))
  end
  return big(#bytes) .. kind .. bytes .. big(bit.bnot(c))
end

-- Writes an uncompressed PNG (stored blocks) of width × height pixels; colour(x, y) returns r, g, b, a.
local function png(name, width, height, colour)
  local rows = {}
  for y = 0, height - 1 do
    local row = { "\0" }
    for x = 0, width - 1 do row[#row + 1] = string.char(colour(x, y)) end
    rows[#rows + 1] = table.concat(row)
  end
  local raw, a, b, blocks = table.concat(rows), 1, 0, { "\120\1" }
  for i = 1, #raw do
    a = (a + raw:byte(i)) % 65521
    b = (b + a) % 65521
  end
  for at = 1, #raw, 65535 do
    local part = raw:sub(at, at + 65534)
    local n = #part
    blocks[#blocks + 1] = string.char(at + 65535 > #raw and 1 or 0, n % 256, math.floor(n / 256), 255 - n % 256,
      255 - math.floor(n / 256)) .. part
  end
  blocks[#blocks + 1] = big(b * 65536 + a)
  write(name, "\137PNG\r\n\26\n" .. chunk("IHDR", big(width) .. big(height) .. "\8\6\0\0\0")
    .. chunk("IDAT", table.concat(blocks)) .. chunk("IEND", ""))
end

png("dot.png", 8, 8, function(x, y)
  local edge = x == 0 or y == 0 or x == 7 or y == 7
  return edge and 60 or 255, edge and 120 or 220, 255, edge and 160 or 255
end)

png("tiles.png", 64, 64, function(x, y)
  local tile = math.floor(x / 16) + 4 * math.floor(y / 16)
  local edge = x % 16 == 0 or y % 16 == 0
  return tile * 12, 90 + tile * 8, edge and 60 or 120, 255
end)

local cells = {}
for i = 0, 999999 do cells[i + 1] = (i * 7 + math.floor(i / 1000) * 3) % 16 + 1 end
write("million.tmj", ([[{ "orientation": "orthogonal", "width": 1000, "height": 1000, "tilewidth": 16, "tileheight": 16,
  "tilesets": [ { "firstgid": 1, "name": "tiles", "image": "tiles.png", "tilewidth": 16, "tileheight": 16, "columns": 4,
    "tilecount": 16 } ],
  "layers": [ { "type": "tilelayer", "name": "ground", "width": 1000, "height": 1000, "data": [%s] } ] }
]]):format(table.concat(cells, ",")))
