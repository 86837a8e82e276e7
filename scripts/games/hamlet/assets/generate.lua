-- Generates every picture, map and sound of the game, and its font. `luajit generate.lua [FOLDER]` writes them to
-- FOLDER (default: the folder of this file). Every run writes the same bytes. The palette, the tiles, the font and the
-- sounds come from Lantern; the drawings and the maps of this game are in source/.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
local lantern = here .. "/../../lantern/assets/source/"
package.path = here .. "/source/?.lua;" .. lantern .. "?.lua;" .. package.path

local canvas, drawings, tiles, maps, sounds = require "canvas", require "drawings", require "tiles", require "maps",
  require "sounds"
local plans = require "plans"
local folder = arg[1] or here

local function save(name, bytes)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(bytes)
  file:close()
end

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return ipairs(names)
end

-- Returns the sheet of a picture: the size of its frames, and its pivot and clips, or a border, as JSON.
local function encode_sheet(drawing)
  local more = drawing.border and ' "border": [' .. drawing.border .. "]," or ' "pivot": [0.5, 1],'
  if drawing.centred then more = "" end
  local clips = {}
  for i, name in sorted(drawing.clips or {}) do clips[i] = ('  "%s": { %s }'):format(name, drawing.clips[name]) end
  return ('{\n "grid": { "width": %d, "height": %d },\n "fps": 10,\n'):format(drawing.width, drawing.height)
    .. (#clips > 0 and ' "clips": {\n' .. table.concat(clips, ",\n") .. "\n },\n" or "")
    .. (more ~= "" and more .. "\n" or "") .. ' "filter": "pixels"\n}\n'
end

for _, name in sorted(drawings) do
  save(name .. ".png", canvas.png(drawings[name].canvas))
  save(name .. ".json", encode_sheet(drawings[name]))
end

save("pixels.ttf", require("font").encode())
save("rooms.png", canvas.png(tiles.picture()))
save("rooms.tsj", maps.tileset())
for name, tile in pairs(maps.surroundings) do save(name .. ".png", canvas.png(tiles.picture_of(tile))) end
maps.plans, maps.things = plans.plans, plans.things
for _, name in sorted(maps.plans) do save(name .. ".tmj", maps.map(name)) end

for name, effect in pairs { dig = "clang", crumble = "pot", coins = "chest", gift = "heart", door = "door",
  blip = "blip", start = "start" } do
  save(name .. ".wav", sounds.effect(effect))
end
save("town.wav", sounds.song "yard")
save("mine.wav", sounds.song "crypt")
