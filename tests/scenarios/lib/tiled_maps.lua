-- Maps for the comparison with Tiled's renderer (tiled_pictures.lua), grouped by features. Returns the list of maps,
-- images and other files. A map has the fields `class`, `name`, `file` in assets/, and `text`, unless it belongs to
-- Tiled's package. `left` and `top`: the position of the top left pixel of Tiled's picture in the map.
local ffi = require("ffi")

ffi.cdef [[
unsigned long compressBound(unsigned long);
int compress(uint8_t *, unsigned long *, const uint8_t *, unsigned long);
]]

local M = { list = {}, images = {} }

-- --- images

-- Adds an image whose pixels are colour(x, y): red, green, blue, opacity from 0 to 255.
local function image(name, width, height, colour)
  M.images[name] = { width = width, height = height, colour = colour }
end

-- Returns the colour of a pixel of a tile. No two pixels of a tile are equal, so each displacement and flip is visible.
-- One corner is transparent, another corner half transparent.
local function tile_colour(tile, x, y, width, height, is_opaque)
  local opacity = is_opaque and (x + y == 0 and 0 or 255) or x + y < 4 and 0 or x + height - y < 4 and 128 or 255
  return tile * 53 % 200 + 40, math.floor(x * 255 / width), math.floor(y * 255 / height), opacity
end

-- Adds an image of tiles. The margin and the gaps between tiles are white.
local function sheet(name, columns, rows, width, height, options)
  local margin, spacing = options and options.margin or 0, options and options.spacing or 0
  local function colour(x, y)
    local column, row = math.floor((x - margin) / (width + spacing)), math.floor((y - margin) / (height + spacing))
    local in_x, in_y = x - margin - column * (width + spacing), y - margin - row * (height + spacing)
    if column < 0 or row < 0 or column >= columns or row >= rows or in_x >= width or in_y >= height then
      return 255, 255, 255, 255
    end
    return tile_colour(row * columns + column + 1, in_x, in_y, width, height, options and options.is_opaque)
  end
  image(name, 2 * margin + columns * (width + spacing) - spacing, 2 * margin + rows * (height + spacing) - spacing,
    colour)
end

sheet("square.png", 4, 4, 16, 16)
sheet("opaque.png", 4, 4, 16, 16, { is_opaque = true }) -- Tiled 1.8 tints half transparent pixels too brightly
sheet("apart.png", 4, 4, 16, 16, { margin = 3, spacing = 2 })
sheet("spaced.png", 4, 4, 16, 16, { spacing = 1 })
sheet("tall.png", 4, 2, 16, 24)
sheet("wide.png", 2, 4, 32, 16)
sheet("large.png", 2, 2, 24, 28)
sheet("small.png", 4, 4, 8, 8)
sheet("sub/square.png", 4, 4, 16, 16)
sheet("one.png", 1, 1, 16, 16)
sheet("two.png", 1, 1, 20, 28)
sheet("three.png", 1, 1, 32, 12)
image("keyed.png", 64, 64, function(x, y)
  if (x + y) % 3 == 0 then
    return 255, 0, 255, 255
  end
  return tile_colour(math.floor(x / 16) + math.floor(y / 16) * 4, x % 16, y % 16, 16, 16)
end)
image("picture.png", 40, 30, function(x, y) return tile_colour(2, x, y, 40, 30, true) end)

-- --- parts of maps

local function attributes(list)
  local names, out = {}, {}
  for name in pairs(list or {}) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    out[#out + 1] = (' %s="%s"'):format(name, tostring(list[name]))
  end
  return table.concat(out)
end

local function element(name, list, content)
  return ("<%s%s>%s</%s>\n"):format(name, attributes(list), content or "", name)
end

-- Returns the element of a tileset whose tiles are in one image.
local function tileset(first, image_name, width, height, options)
  options = options or {}
  local size = M.images[image_name]
  local columns = options.columns or math.floor(size.width / width)
  local list = { firstgid = first, name = image_name, tilewidth = width, tileheight = height, columns = columns,
    tilecount = options.count or columns * math.floor(size.height / height) }
  for name, value in pairs(options.attributes or {}) do
    list[name] = value
  end
  return element("tileset", list, (options.before or "") .. element("image", { source = image_name,
    width = size.width, height = size.height, trans = options.trans }) .. (options.after or ""))
end

local SQUARE, OPAQUE = tileset(1, "square.png", 16, 16), tileset(1, "opaque.png", 16, 16)

-- Returns `count` pseudo-random tile numbers from 0 to `max`.
local function numbers(count, max, seed)
  local out, state = {}, seed or 1
  for i = 1, count do
    state = (state * 16807) % 2147483647
    out[i] = state % (max + 1)
  end
  return out
end

local function flipped(tile, flips)
  return tile + flips * 2 ^ 29
end

local BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local function base64(text)
  local out = {}
  for i = 1, #text, 3 do
    local a, b, c = text:byte(i, i + 2)
    local bits = a * 65536 + (b or 0) * 256 + (c or 0)
    for k = 3, 0, -1 do
      local digit = math.floor(bits / 64 ^ k) % 64
      out[#out + 1] = (k == 1 and not b or k == 0 and not c) and "=" or BASE64:sub(digit + 1, digit + 1)
    end
  end
  return table.concat(out)
end

local function pipe_through(command, text)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  local pipe = assert(io.popen(command .. " <" .. path, "r"))
  local out = pipe:read("*a")
  pipe:close()
  os.remove(path)
  return out
end

local function deflate(text)
  local z = ffi.load("z")
  local size = ffi.new("unsigned long[1]", z.compressBound(#text))
  local out = ffi.new("uint8_t[?]", size[0])
  assert(z.compress(out, size, text, #text) == 0)
  return ffi.string(out, size[0])
end

local COMPRESSORS = {
  zlib = deflate,
  gzip = function(text) return pipe_through("gzip -nc", text) end,
  zstd = function(text) return pipe_through("zstd -qc", text) end,
}

-- Returns the content of an element with cells.
local function pack(cells, encoding, compression)
  local out = {}
  for i, cell in ipairs(cells) do
    out[i] = not encoding and ('<tile gid="%.0f"/>'):format(cell)
      or encoding == "csv" and ("%.0f"):format(cell)
      or string.char(cell % 256, math.floor(cell / 2 ^ 8) % 256, math.floor(cell / 2 ^ 16) % 256,
        math.floor(cell / 2 ^ 24))
  end
  if encoding ~= "base64" then
    return table.concat(out, encoding and "," or "")
  end
  local text = table.concat(out)
  return base64(compression and COMPRESSORS[compression](text) or text)
end

local function data(cells, encoding, compression)
  return element("data", { encoding = encoding, compression = compression }, pack(cells, encoding, compression))
end

local function layer(width, height, cells, list)
  list = list or {}
  list.name, list.width, list.height = list.name or "cells", width, height
  return element("layer", list, data(cells, "csv"))
end

-- Returns the element of a group of objects; each object is a table of attributes.
local function objects(list, group_attributes)
  local out = {}
  for i, object in ipairs(list) do
    object.id = i
    out[i] = element("object", object)
  end
  return element("objectgroup", group_attributes, table.concat(out))
end

-- Adds a map of width × height cells. `options`: fields of the map, `cell` { width, height }, and `attributes`.
local function add(class, name, width, height, content, options)
  options = options or {}
  local cell = options.cell or { 16, 16 }
  local list = { version = "1.8", orientation = "orthogonal", renderorder = "right-down", width = width,
    height = height, tilewidth = cell[1], tileheight = cell[2], infinite = 0 }
  for key, value in pairs(options.attributes or {}) do
    list[key] = value
  end
  local map = { class = class, name = class:gsub(" ", "_") .. "_" .. name:gsub(" ", "_"), left = 0, top = 0 }
  for key, value in pairs(options) do
    map[key] = value
  end
  map.file = map.name .. ".tmx"
  map.text = '<?xml version="1.0" encoding="UTF-8"?>\n' .. element("map", list, content)
  M.list[#M.list + 1] = map
end

-- --- cells

local CELLS = numbers(48, 16)
for i = 1, 48 do
  CELLS[i] = CELLS[i] > 0 and flipped(CELLS[i], i % 8) or 0
end
for _, row in ipairs {
  {}, { "csv" }, { "base64" }, { "base64", "zlib" }, { "base64", "gzip" }, { "base64", "zstd" },
} do
  add("encodings", table.concat(row, " ") .. (row[1] and "" or "xml"), 8, 6,
    SQUARE .. element("layer", { name = "a", width = 8, height = 6 }, data(CELLS, row[1], row[2])))
end

local function chunk(x, y, cells, encoding, compression)
  return element("chunk", { x = x, y = y, width = 4, height = 4 }, pack(cells, encoding, compression))
end

for _, row in ipairs { {}, { "csv" }, { "base64" }, { "base64", "zlib" }, { "base64", "gzip" } } do
  local chunks = chunk(0, 0, numbers(16, 16, 3), row[1], row[2]) .. chunk(4, 0, numbers(16, 16, 4), row[1], row[2])
    .. chunk(-4, -4, numbers(16, 16, 5), row[1], row[2])
  add("chunks", table.concat(row, " ") .. (row[1] and "" or "xml"), 8, 8,
    SQUARE .. element("layer", { name = "a", width = 8, height = 8 },
      element("data", { encoding = row[1], compression = row[2] }, chunks)),
    { attributes = { infinite = 1 }, left = -256, top = -256 }) -- Tiled keeps chunks of 16 × 16 cells
end

for _, order in ipairs { "right-down", "right-up", "left-down", "left-up" } do
  add("render orders", order, 6, 4, tileset(1, "large.png", 24, 28) .. tileset(5, "square.png", 16, 16)
    .. layer(6, 4, numbers(24, 16, 7)),
    { attributes = { renderorder = order } })
end

for _, row in ipairs { { "wide grid", 32, 16, "wide.png" }, { "tall grid", 16, 24, "tall.png" } } do
  add("grids", row[1], 4, 4, tileset(1, row[4], row[2], row[3]) .. layer(4, 4, numbers(16, 8, 8)),
    { cell = { row[2], row[3] } })
end
add("grids", "one cell", 1, 1, SQUARE .. layer(1, 1, { 6 }))
add("grids", "one row", 30, 1, SQUARE .. layer(30, 1, numbers(30, 16, 2)))

-- --- flips

-- Returns cells with a tile in all eight orientations, separated by empty cells.
local function all_flips(tile)
  local cells = {}
  for i = 0, 15 do
    cells[i + 1], cells[i + 17] = 0, i % 2 == 0 and flipped(tile, i / 2) or 0
  end
  return cells
end

for _, row in ipairs {
  { "square", "square.png", 16, 16 }, { "tall", "tall.png", 16, 24 }, { "wide", "wide.png", 32, 16 },
  { "large", "large.png", 24, 28 }, { "small", "small.png", 8, 8 },
} do
  add("flips", row[1], 16, 2, tileset(1, row[2], row[3], row[4]) .. layer(16, 2, all_flips(2)))
  add("flips", row[1] .. " with offset", 16, 2, tileset(1, row[2], row[3], row[4],
    { before = element("tileoffset", { x = 3, y = -2 }) }) .. layer(16, 2, all_flips(1)))
end
add("flips", "in a wide grid", 8, 4, tileset(1, "wide.png", 32, 16) .. layer(8, 4, all_flips(3)),
  { cell = { 32, 16 } })

-- --- tilesets

add("tilesets", "margin and spacing", 4, 4, tileset(1, "apart.png", 16, 16,
  { columns = 4, count = 16, attributes = { margin = 3, spacing = 2 } }) .. layer(4, 4, numbers(16, 16)))
add("tilesets", "spacing", 4, 4, tileset(1, "spaced.png", 16, 16,
  { columns = 4, count = 16, attributes = { spacing = 1 } }) .. layer(4, 4, numbers(16, 16)))
add("tilesets", "several", 6, 4, SQUARE .. tileset(17, "tall.png", 16, 24) .. tileset(40, "small.png", 8, 8)
  .. layer(6, 4, { 1, 17, 40, 41, 18, 2, 20, 3, 42, 0, 55, 24, 5, 19, 43, 6, 7, 8, 17, 18, 19, 40, 41, 42 }))
add("tilesets", "transparent colour", 4, 4, tileset(1, "keyed.png", 16, 16, { trans = "ff00ff" })
  .. layer(4, 4, numbers(16, 16)))
add("tilesets", "animation", 4, 1, tileset(1, "square.png", 16, 16, { after = element("tile", { id = 1 },
  element("animation", {}, element("frame", { tileid = 5, duration = 100000 })
    .. element("frame", { tileid = 6, duration = 100000 }))) }) .. layer(4, 1, { 2, 1, 2, 3 }))
for _, offset in ipairs { { 5, 3 }, { -4, -6 }, { 0, 8 } } do
  add("tilesets", ("offset %d %d"):format(offset[1], offset[2]), 6, 4, tileset(1, "square.png", 16, 16,
    { before = element("tileoffset", { x = offset[1], y = offset[2] }) })
    .. layer(6, 4, { 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0 }))
end
for _, row in ipairs { { "large", "large.png", 24, 28, 4 }, { "small", "small.png", 8, 8, 16 },
  { "tall", "tall.png", 16, 24, 8 } } do
  add("tilesets", row[1] .. " tiles", 6, 5, tileset(1, row[2], row[3], row[4]) .. layer(6, 5, numbers(30, row[5])))
end

local function single(id, name)
  local size = M.images[name]
  return element("tile", { id = id }, element("image", { source = name, width = size.width, height = size.height }))
end

local COLLECTION = element("tileset", { firstgid = 1, name = "collection", tilewidth = 32, tileheight = 28,
  tilecount = 3, columns = 0 }, single(0, "one.png") .. single(1, "two.png") .. single(4, "three.png"))
add("tilesets", "collection", 6, 4, COLLECTION
  .. layer(6, 4, { 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 5, 0, 0, 5, 0, 2, 0, 0, 1, 0, 0, 0, 2, 1 }))
add("tilesets", "flipped collection", 16, 2, COLLECTION .. layer(16, 2, all_flips(2)))
add("tilesets", "without count", 4, 4, '<tileset firstgid="1" name="old" tilewidth="16" tileheight="16">'
  .. '<image source="square.png" width="64" height="64"/></tileset>' .. layer(4, 4, numbers(16, 16)))
add("tilesets", "file", 4, 4, '<tileset firstgid="1" source="sub/square.tsx"/>' .. layer(4, 4, numbers(16, 16)))
M.texts = { ["sub/square.tsx"] = '<tileset name="square" tilewidth="16" tileheight="16" tilecount="16" columns="4">'
  .. '<image source="square.png" width="64" height="64"/></tileset>' }

-- --- layers

local FULL = numbers(24, 15, 11)
for i = 1, 24 do
  FULL[i] = FULL[i] + 1
end
local function plain(list)
  return layer(6, 4, FULL, list)
end

add("layers", "two", 6, 4, SQUARE .. plain() .. layer(6, 4, numbers(24, 16, 12)))
add("layers", "hidden", 6, 4, SQUARE .. plain() .. layer(6, 4, numbers(24, 16, 12), { visible = 0 }))
add("layers", "opacity", 6, 4, SQUARE .. plain { opacity = 0.4 })
add("layers", "opacities", 6, 4, SQUARE .. plain { opacity = 0.8 } .. layer(6, 4, numbers(24, 16), { opacity = 0.3 }))
add("layers", "tint", 6, 4, OPAQUE .. plain { tintcolor = "#ff8040" })
add("layers", "tint with opacity", 6, 4, OPAQUE .. plain { tintcolor = "#8040ff80", opacity = 0.7 })
add("layers", "offset", 6, 4, SQUARE .. layer(6, 4, numbers(24, 16)) .. layer(6, 4, numbers(24, 16, 9),
  { offsetx = 5, offsety = -7 }), { top = -7 })
add("layers", "negative offset", 6, 4, SQUARE .. plain { offsetx = -10, offsety = 3 }, { left = -10 })

local function group(list, content)
  return element("group", list, content)
end
add("groups", "opacity", 6, 4, SQUARE .. plain() .. group({ opacity = 0.5 },
  layer(6, 4, numbers(24, 16), { opacity = 0.6 })))
add("groups", "tint", 6, 4, OPAQUE .. group({ tintcolor = "#80ff80" }, plain { tintcolor = "#ff4080" }))
add("groups", "offset", 6, 4, SQUARE .. group({ offsetx = 4, offsety = 6 }, plain { offsetx = 3, offsety = 2 }))
add("groups", "hidden", 6, 4, SQUARE .. plain() .. group({ visible = 0 }, layer(6, 4, numbers(24, 16))))
add("groups", "nested", 6, 4, SQUARE .. group({ opacity = 0.8 }, plain()
  .. group({ opacity = 0.5, offsetx = 3 }, layer(6, 4, numbers(24, 16))) .. layer(6, 4, numbers(24, 3, 21))))

local function picture(list, trans)
  return element("imagelayer", list, element("image",
    { source = trans and "keyed.png" or "picture.png", width = trans and 64 or 40, height = trans and 64 or 30,
      trans = trans }))
end
add("image layers", "plain", 6, 4, SQUARE .. picture() .. layer(6, 4, numbers(24, 3)))
add("image layers", "offset", 6, 4, SQUARE .. plain() .. picture { offsetx = 20, offsety = 11 })
add("image layers", "opacity and tint", 6, 4, SQUARE .. plain()
  .. picture { offsetx = 8, opacity = 0.5, tintcolor = "#ffff40" })
add("image layers", "transparent colour", 6, 4, SQUARE .. plain() .. picture({}, "ff00ff"))
add("image layers", "in a group", 6, 4, SQUARE .. group({ opacity = 0.5, offsetx = 6 }, picture { opacity = 0.8 }))
for _, row in ipairs { { "horizontally", { repeatx = 1 } }, { "vertically", { repeaty = 1 } },
  { "in both directions", { repeatx = 1, repeaty = 1, offsetx = 7, offsety = 9 } } } do
  add("image layers", "repeated " .. row[1], 6, 4, SQUARE .. picture(row[2]), { alone = true })
end

-- --- objects

local function on_ground(content)
  return layer(8, 6, numbers(48, 3, 31)) .. content
end

for _, alignment in ipairs { "unspecified", "topleft", "top", "topright", "left", "center", "right", "bottomleft",
  "bottom", "bottomright" } do
  add("object alignments", alignment, 8, 6, tileset(1, "tall.png", 16, 24,
    { attributes = { objectalignment = alignment } }) .. on_ground(objects {
      { gid = 3, x = 40, y = 40, width = 16, height = 24 },
      { gid = 4, x = 80, y = 50, width = 16, height = 24, rotation = 90 },
      { gid = 5, x = 80, y = 50, width = 16, height = 24, rotation = 270 },
    }))
end

local FLIPPED = {}
for i = 0, 3 do
  FLIPPED[i + 1] = { gid = ("%.0f"):format(flipped(2, i * 2)), x = 10 + i * 28, y = 40, width = 16, height = 24 }
  FLIPPED[i + 5] = { gid = ("%.0f"):format(flipped(7, i * 2)), x = 30 + i * 28, y = 60, width = 16, height = 24,
    rotation = 90 }
end
add("objects", "flips", 8, 6, tileset(1, "tall.png", 16, 24) .. objects(FLIPPED))
for _, degrees in ipairs { 90, 180, 270, -90 } do
  add("objects", "turned by " .. degrees, 8, 6, SQUARE .. tileset(17, "large.png", 24, 28) .. on_ground(objects {
    { gid = 18, x = 64, y = 48, width = 24, height = 28, rotation = degrees },
    { gid = 6, x = 30, y = 70, width = 16, height = 16, rotation = degrees },
  }))
end
add("objects", "turned by 30", 8, 6, SQUARE .. tileset(17, "large.png", 24, 28) .. objects {
  { gid = 18, x = 64, y = 48, width = 24, height = 28, rotation = 30 } }, { tolerance = 24, edge_pixels = 120 })
for _, order in ipairs { "topdown", "index" } do
  add("objects", "draw order " .. order, 8, 6, SQUARE .. tileset(17, "large.png", 24, 28) .. objects({
    { gid = 18, x = 40, y = 60, width = 24, height = 28 }, { gid = 17, x = 50, y = 50, width = 24, height = 28 },
    { gid = 5, x = 56, y = 62, width = 16, height = 16 }, { gid = 19, x = 46, y = 54, width = 24, height = 28 },
  }, { draworder = order }))
end
add("objects", "hidden", 8, 6, SQUARE .. objects { { gid = 5, x = 40, y = 60, width = 16, height = 16, visible = 0 },
  { gid = 6, x = 60, y = 60, width = 16, height = 16 } })
add("objects", "of a layer with opacity and offset", 8, 6, OPAQUE .. on_ground(objects({
  { gid = 5, x = 40, y = 60, width = 16, height = 16 }, { gid = 7, x = 48, y = 66, width = 16, height = 16 },
}, { opacity = 0.5, offsetx = 6, offsety = 4, tintcolor = "#ff80ff" })))
add("objects", "of a collection", 8, 6, COLLECTION .. objects {
  { gid = 2, x = 40, y = 60, width = 20, height = 28 }, { gid = 5, x = 70, y = 60, width = 32, height = 12 } })
add("objects", "with a tile offset", 8, 6, tileset(1, "square.png", 16, 16,
  { before = element("tileoffset", { x = 5, y = -3 }) }) .. objects {
    { gid = 5, x = 40, y = 60, width = 16, height = 16 },
    { gid = 6, x = 70, y = 60, width = 16, height = 16, rotation = 90 },
    { gid = ("%.0f"):format(flipped(7, 4)), x = 20, y = 60, width = 16, height = 16 } })
add("objects", "of fractional positions", 8, 6, SQUARE .. objects {
  { gid = 5, x = 40.25, y = 60.75, width = 16, height = 16 }, { gid = 6, x = 69.7, y = 50.4, width = 16, height = 16 },
}, { tolerance = 24, edge_pixels = 40 }) -- Shoal blends neighbouring pixels
add("objects", "twice as large", 8, 6, tileset(1, "square.png", 16, 16,
  { before = element("tileoffset", { x = 3, y = 2 }) }) .. objects {
    { gid = 5, x = 20, y = 60, width = 32, height = 32 },
    { gid = 6, x = 70, y = 60, width = 32, height = 16, rotation = 90 } })

-- --- maps of Tiled's package

-- In the copies of the maps, objects that Shoal does not draw are hidden: shapes, and objects with a class or a name.
-- `hidden`: the layer that tmxrasterizer hides, because the tiles of its objects have classes. `alone`: the map draws
-- beyond its area, so it gets its own page. `edge_pixels`: number of pixels that may differ.
for _, row in ipairs {
  { "desert" }, { "sewers" }, { "perspective_walls" }, { "orthogonal-outside" }, { "rpg/island" },
  { "sticker-knight/map/sandbox", hidden = "game", alone = true, background = "#27b99a",
    edge_pixels = 3500 }, -- scaled objects
  { "sticker-knight/map/sandbox2", hidden = "game", alone = true, background = "#35495e" },
  { "sewer_automap/sewers" }, { "sewer_automap/rule_001" }, { "sewer_automap/rule_002" },
  { "sewer_automap/rule_003" }, { "sewer_automap/rule_004" }, { "sewer_automap/rule_005" },
  { "sewer_automap/rule_006" }, { "sewer_automap/rule_007" },
  { "sewer_automap/rule_008" },
  { "sewer_automap/rule_009" },
} do
  M.list[#M.list + 1] = { class = "package", name = row[1]:gsub("/", "_"), file = "examples/" .. row[1] .. ".tmx",
    hidden = row.hidden, alone = row.alone, background = row.background,
    edge_pixels = row.edge_pixels, left = 0, top = 0 }
end

return M
