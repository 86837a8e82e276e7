-- Compares Shoal's pictures of Tiled maps with pictures by tmxrasterizer, Tiled's own renderer.
--
--   luajit tiled_pictures.lua write FOLDER           writes maps and images; prints name, file and hidden layer of each
--   luajit tiled_pictures.lua pages FOLDER           prints the number of pages on which Shoal draws the maps
--   luajit tiled_pictures.lua page FOLDER NUMBER     writes the game that shows a page
--   luajit tiled_pictures.lua compare FOLDER CLASS   compares the pictures of a class; exit status 1 if they differ
--
-- FOLDER contains the game with its assets, Tiled's pictures (tiled/NAME.png) and Shoal's pictures of the pages
-- (page1.rgb, …). The maps are listed in tiled_maps.lua. Left out, because tmxrasterizer 1.8 draws something else by
-- design or not at all: parallax, text and shapes, background colours, templates, and tiles with a part of an image.
local folder = arg[0]:match("^(.*)/") or "."
local ffi = require("ffi")

local PAGE_WIDTH, PAGE_HEIGHT, GAP = 2700, 4000, 48
local BACKGROUND = "#808080"
local TOLERANCE = 3 -- maximum difference of a channel (0 to 255); the two renderers round differently

local function read_file(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function write_file(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function run(command)
  local pipe = assert(io.popen(command, "r"))
  local text = pipe:read("*a")
  pipe:close()
  return text
end

local MAPS = assert(loadfile(folder .. "/tiled_maps.lua"))()

-- Returns the maps of which Tiled has drawn a picture.
local function list_drawn(root)
  local out = {}
  for _, map in ipairs(MAPS.list) do
    local file = io.open(root .. "/tiled/" .. map.name .. ".png", "rb")
    if file then
      file:close()
      out[#out + 1] = map
    end
  end
  return out
end

local function write_maps(root)
  local assets = root .. "/game/assets/"
  for name, image in pairs(MAPS.images) do
    local bytes = {}
    for y = 0, image.height - 1 do
      for x = 0, image.width - 1 do
        bytes[#bytes + 1] = string.char(image.colour(x, y))
      end
    end
    write_file(assets .. name .. ".rgba", table.concat(bytes))
    run(("convert -size %dx%d -depth 8 rgba:%s.rgba %s"):format(image.width, image.height, assets .. name,
      assets .. name))
    os.remove(assets .. name .. ".rgba")
  end
  for name, text in pairs(MAPS.texts) do
    write_file(assets .. name, text)
  end
  for _, map in ipairs(MAPS.list) do
    if map.text then
      write_file(assets .. map.file, map.text)
    end
    print(map.name .. "\t" .. map.file .. "\t" .. (map.hidden or ""))
  end
end

-- --- the pages

local function png_size(path)
  local header = read_file(path):sub(17, 24)
  local function number(at)
    local a, b, c, d = header:byte(at, at + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
  end
  return number(1), number(5)
end

-- Arranges the pictures in rows from left to right. A map that Shoal draws beyond its own area gets its own page.
local function arrange(root)
  local page, x, y, row_height = 1, GAP, GAP, 0
  local list = list_drawn(root)
  for _, map in ipairs(list) do
    map.width, map.height = png_size(root .. "/tiled/" .. map.name .. ".png")
    if x + map.width + GAP > PAGE_WIDTH then
      x, y, row_height = GAP, y + row_height + GAP, 0
    end
    if y + map.height + GAP > PAGE_HEIGHT or (map.alone and x + y > 2 * GAP) then
      page, x, y, row_height = page + 1, GAP, GAP, 0
    end
    map.page, map.x, map.y = page, x, y
    x, row_height = x + map.width + GAP, math.max(row_height, map.height)
    if map.alone then
      x, y = PAGE_WIDTH, PAGE_HEIGHT
    end
  end
  return list, page
end

-- Writes the game of a page: its maps, and a camera that shows one pixel of the maps per pixel of the window.
local function write_page(root, number)
  local width, height, lines = PAGE_WIDTH, 0, {}
  for _, map in ipairs((arrange(root))) do
    if map.page == number then
      height = math.max(height, map.y + map.height + GAP)
      lines[#lines + 1] = ("    world.spawn(nil, { transform = { x = %d, y = %d }, tilemap = { map = %q } })\n"):format(
        map.x - map.left, map.y - map.top, map.file)
    end
  end
  write_file(root .. "/game/game.lua", ([[
return {
  title = "maps", width = %d, height = %d, window = { filter = "pixels" },
  start = function()
%s    world.spawn(nil, { transform = { x = %g, y = %g }, camera = { background = "%s" } })
  end,
}
]]):format(width, height, table.concat(lines), width / 2, height / 2, BACKGROUND))
end

-- --- comparing

-- Returns the pixels of a map in Shoal's picture of its page.
local function read_our_picture(root, map)
  local file = assert(io.open(("%s/page%d.rgb"):format(root, map.page), "rb"))
  local rows = {}
  for y = map.y, map.y + map.height - 1 do
    file:seek("set", (y * PAGE_WIDTH + map.x) * 3)
    rows[#rows + 1] = file:read(map.width * 3)
  end
  file:close()
  return table.concat(rows)
end

local function read_picture_of_tiled(root, map)
  return run(("convert %s/tiled/%s.png -background '%s' -flatten -depth 8 rgb:-"):format(root, map.name,
    map.background or BACKGROUND))
end

-- Returns the number of pixels that differ, and a description of the first one.
local function compare_pictures(root, map)
  local our_bytes, their_bytes = read_our_picture(root, map), read_picture_of_tiled(root, map)
  local bytes, count, first = map.width * map.height * 3, 0, nil
  if #our_bytes ~= bytes or #their_bytes ~= bytes then
    return bytes, ("pictures of %d and %d bytes, not %d"):format(#our_bytes, #their_bytes, bytes)
  end
  local ours, theirs = ffi.cast("const uint8_t *", our_bytes), ffi.cast("const uint8_t *", their_bytes)
  for i = 0, bytes - 3, 3 do
    local difference = 0
    for k = i, i + 2 do
      difference = math.max(difference, math.abs(ours[k] - theirs[k]))
    end
    if difference > (map.tolerance or TOLERANCE) then
      count = count + 1
      first = first or ("pixel %d, %d is %d %d %d, in Tiled %d %d %d"):format(i / 3 % map.width,
        math.floor(i / 3 / map.width), ours[i], ours[i + 1], ours[i + 2], theirs[i], theirs[i + 1], theirs[i + 2])
    end
  end
  return count, first
end

local function compare_class(root, class)
  local failures, compared = {}, 0
  for _, map in ipairs((arrange(root))) do
    if map.class == class then
      compared = compared + 1
      local count, first = compare_pictures(root, map)
      if count > (map.edge_pixels or 0) then
        failures[#failures + 1] = ("%s: %d pixels differ: %s"):format(map.name, count, first)
      end
    end
  end
  print(compared == 0 and "no map has been drawn" or table.concat(failures, "\n"))
  return #failures == 0 and compared > 0
end

local command, root = arg[1], arg[2]
if command == "write" then
  write_maps(root)
elseif command == "pages" then
  print((select(2, arrange(root))))
elseif command == "page" then
  write_page(root, tonumber(arg[3]))
else
  os.exit(compare_class(root, arg[3]) and 0 or 1)
end
