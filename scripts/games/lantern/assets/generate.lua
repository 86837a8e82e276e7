-- Generates every picture, map and sound of the game, and its font. `luajit generate.lua [FOLDER]` writes them to
-- FOLDER (default: the folder of this file). The program is plain LuaJIT without libraries. Every run writes the same
-- bytes. The drawings, maps and sounds are defined in source/.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/source/?.lua;" .. package.path

local canvas, sprites = require "canvas", require "sprites"
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

for _, name in sorted(sprites) do save(name .. ".png", canvas.png(sprites[name]())) end

save("pixels.ttf", require("font").encode())

local tiles, maps = require "tiles", require "maps"
save("rooms.png", canvas.png(tiles.picture()))
save("rooms.tsj", maps.tileset())
for name, tile in pairs(maps.surroundings) do save(name .. ".png", canvas.png(tiles.picture_of(tile))) end
for _, name in sorted(maps.plans) do save(name .. ".tmj", maps.map(name)) end

local sounds = require "sounds"
for _, name in sorted(sounds.effects) do save(name .. ".wav", sounds.effect(name)) end
for _, name in sorted(sounds.music) do save(name .. ".wav", sounds.song(name)) end
