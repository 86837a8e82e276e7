-- The game's palette, canvases in its colours, and PNG output. A colour is a letter, as in the drawings of
-- source/sprites.lua; "." is transparent.
local bit = require "bit"
local floor = math.floor

local M = {}

M.palette = {
  k = "0e0b16", -- ink
  n = "1f1b33", -- night
  v = "37325a", -- deep stone
  s = "575a84", -- stone
  g = "8c93b4", -- light stone
  w = "f3ead2", -- bone
  d = "3a2230", -- dark earth
  b = "70403b", -- earth
  o = "b8683f", -- clay
  e = "f0a456", -- ember
  y = "ffe186", -- flame
  r = "c33a4c", -- red
  t = "1c4650", -- pine
  f = "3b8560", -- leaf
  l = "98c85c", -- young leaf
  c = "62bbd6", -- frost
}

local bytes = { ["."] = "\0\0\0\0" }
for letter, hex in pairs(M.palette) do
  local r, g, b = hex:match "(..)(..)(..)"
  bytes[letter] = string.char(tonumber(r, 16), tonumber(g, 16), tonumber(b, 16), 255)
end

---@class canvas
---@field width integer
---@field height integer
local canvas = {}
canvas.__index = canvas

function M.new(width, height, letter)
  local c = setmetatable({ width = width, height = height }, canvas)
  for i = 0, width * height - 1 do c[i] = letter or "." end
  return c
end

function canvas:get(x, y)
  if x < 0 or y < 0 or x >= self.width or y >= self.height then return "." end
  return self[floor(y) * self.width + floor(x)]
end

-- Sets a pixel. The letter "." and positions outside the canvas are ignored.
function canvas:set(x, y, letter)
  x, y = floor(x), floor(y)
  if letter ~= "." and x >= 0 and y >= 0 and x < self.width and y < self.height then
    self[y * self.width + x] = letter
  end
end

function canvas:clear(x, y)
  if x >= 0 and y >= 0 and x < self.width and y < self.height then self[y * self.width + x] = "." end
end

function canvas:rect(x, y, width, height, letter)
  for j = y, y + height - 1 do
    for i = x, x + width - 1 do self:set(i, j, letter) end
  end
end

-- Draws a drawing, given as lines of letters, with its top left corner at x, y. `swap` maps letters to their
-- replacements; `flip` mirrors the drawing horizontally.
function canvas:draw(lines, x, y, swap, flip)
  local row = 0
  for line in lines:gmatch "[^\n]+" do
    line = line:match "^%s*(.-)%s*$"
    for i = 1, #line do
      local letter = line:sub(flip and #line + 1 - i or i, flip and #line + 1 - i or i)
      self:set((x or 0) + i - 1, (y or 0) + row, swap and swap[letter] or letter)
    end
    row = row + 1
  end
  return self
end

function canvas:paste(other, x, y, flip)
  for j = 0, other.height - 1 do
    for i = 0, other.width - 1 do
      self:set(x + i, y + j, other[j * other.width + (flip and other.width - 1 - i or i)])
    end
  end
  return self
end

-- Outlines the drawing by colouring the transparent pixels next to it, by default with ink.
function canvas:outline(letter)
  local rim = {}
  for y = 0, self.height - 1 do
    for x = 0, self.width - 1 do
      if self:get(x, y) == "." and (self:get(x - 1, y) ~= "." or self:get(x + 1, y) ~= "." or self:get(x, y - 1) ~= "."
        or self:get(x, y + 1) ~= ".") then
        rim[#rim + 1] = { x, y }
      end
    end
  end
  for _, at in ipairs(rim) do self:set(at[1], at[2], letter or "k") end
  return self
end

-- Joins frames from left to right into one canvas.
function M.strip(frames)
  local wide, high = frames[1].width, frames[1].height
  local all = M.new(wide * #frames, high)
  for i, frame in ipairs(frames) do all:paste(frame, (i - 1) * wide, 0) end
  return all
end

-- Returns a function dice(sides), which returns random integers from 0 to sides - 1, the same on every machine.
function M.dice(seed)
  local state = seed
  return function(sides)
    state = (state * 1103515245 + 12345) % 2147483648
    return floor(state / 65536) % sides
  end
end

-- --- PNG output

local function encode_u32(value)
  return string.char(floor(value / 16777216) % 256, floor(value / 65536) % 256, floor(value / 256) % 256, value % 256)
end

local table_of_crc = {}
for n = 0, 255 do
  local c = n
  for _ = 1, 8 do c = bit.bxor(bit.rshift(c, 1), bit.band(0xedb88320, -bit.band(c, 1))) end
  table_of_crc[n] = c
end

local function crc32(text)
  local crc = -1
  for i = 1, #text do
    crc = bit.bxor(table_of_crc[bit.band(bit.bxor(crc, text:byte(i)), 255)], bit.rshift(crc, 8))
  end
  return bit.bnot(crc) % 4294967296
end

local function adler32(text)
  local a, b = 1, 0
  for i = 1, #text do
    a = (a + text:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b * 65536 + a
end

local function encode_u16(value) return string.char(value % 256, floor(value / 256) % 256) end

-- Returns an uncompressed 8-bit RGBA PNG. `rgba` contains all pixels, four bytes each.
function M.png_of(width, height, rgba)
  local rows, blocks = {}, {}
  for y = 0, height - 1 do rows[y + 1] = "\0" .. rgba:sub(y * width * 4 + 1, (y + 1) * width * 4) end
  local data = table.concat(rows)
  for at = 1, #data, 65535 do
    local piece = data:sub(at, at + 65534)
    blocks[#blocks + 1] = (at + 65535 > #data and "\1" or "\0") .. encode_u16(#piece)
      .. encode_u16(65535 - #piece) .. piece
  end
  local function encode_chunk(kind, body)
    return encode_u32(#body) .. kind .. body .. encode_u32(crc32(kind .. body))
  end
  return "\137PNG\r\n\26\n" .. encode_chunk("IHDR", encode_u32(width) .. encode_u32(height) .. "\8\6\0\0\0")
    .. encode_chunk("IDAT", "\120\1" .. table.concat(blocks) .. encode_u32(adler32(data))) .. encode_chunk("IEND", "")
end

function M.png(c)
  local out = {}
  for i = 0, c.width * c.height - 1 do out[i + 1] = bytes[c[i]] or error("no colour " .. c[i]) end
  return M.png_of(c.width, c.height, table.concat(out))
end

return M
