-- Vector font. A glyph is a list of strokes, separated by semicolons, on a grid 4 wide and 6 high with y down.
local M = {}

local WIDTH, HEIGHT, ADVANCE = 4, 6, 5.9

local shapes = {
  A = "0,6 0,2 2,0 4,2 4,6;0,4 4,4",
  B = "0,3 0,0 3,0 4,1 4,2 3,3 0,3 0,6 3,6 4,5 4,4 3,3",
  C = "4,0 0,0 0,6 4,6",
  D = "0,0 2,0 4,2 4,4 2,6 0,6 0,0",
  E = "4,0 0,0 0,6 4,6;0,3 3,3",
  F = "4,0 0,0 0,6;0,3 3,3",
  G = "4,1.5 4,0 0,0 0,6 4,6 4,3.5 2,3.5",
  H = "0,0 0,6;4,0 4,6;0,3 4,3",
  I = "0.6,0 3.4,0;2,0 2,6;0.6,6 3.4,6",
  J = "4,0 4,6 1.5,6 0,4.5",
  K = "0,0 0,6;4,0 0,3 4,6",
  L = "0,0 0,6 4,6",
  M = "0,6 0,0 2,2 4,0 4,6",
  N = "0,6 0,0 4,6 4,0",
  O = "0,0 4,0 4,6 0,6 0,0",
  P = "0,6 0,0 4,0 4,3 0,3",
  Q = "0,0 4,0 4,4 2,6 0,6 0,0;2,4 4,6",
  R = "0,6 0,0 4,0 4,3 0,3;1,3 4,6",
  S = "4,0 0,0 0,3 4,3 4,6 0,6",
  T = "0,0 4,0;2,0 2,6",
  U = "0,0 0,6 4,6 4,0",
  V = "0,0 2,6 4,0",
  W = "0,0 0,6 2,4 4,6 4,0",
  X = "0,0 4,6;4,0 0,6",
  Y = "0,0 2,2.2 4,0;2,2.2 2,6",
  Z = "0,0 4,0 0,6 4,6",
  ["0"] = "1.2,0 2.8,0 4,1.4 4,4.6 2.8,6 1.2,6 0,4.6 0,1.4 1.2,0",
  ["1"] = "1,1.2 2.2,0 2.2,6",
  ["2"] = "0,0 4,0 4,3 0,3 0,6 4,6",
  ["3"] = "0,0 4,0 4,6 0,6;0.8,3 4,3",
  ["4"] = "0,0 0,3 4,3;4,0 4,6",
  ["5"] = "4,0 0,0 0,3 4,3 4,6 0,6",
  ["6"] = "4,0 0,0 0,6 4,6 4,3 0,3",
  ["7"] = "0,0 4,0 1.6,6",
  ["8"] = "0,3 0,0 4,0 4,6 0,6 0,3 4,3",
  ["9"] = "4,3 0,3 0,0 4,0 4,6 0,6",
  ["-"] = "0.8,3 3.2,3",
  ["+"] = "0.6,3 3.4,3;2,1.6 2,4.4",
  ["/"] = "0.4,6 3.6,0",
  ["!"] = "2,0 2,4;2,5.6 2,6",
  ["."] = "2,5.6 2,6",
  [","] = "2.2,5.4 1.6,6.8",
  [":"] = "2,1.6 2,2;2,4.4 2,4.8",
  ["'"] = "2,0 2,1.4",
}

-- Accented letters: their letters with strokes above or below.
local ACUTE, GRAVE, CIRCUMFLEX = ";1.6,-0.7 2.6,-1.5", ";2.4,-0.7 1.4,-1.5", ";1,-0.7 2,-1.5 3,-0.7"
local DIAERESIS, CEDILLA = ";1,-1.2 1,-0.8;3,-1.2 3,-0.8", ";2,6 2,7 1.2,7.2"
for letter, accented in pairs {
  A = { ["À"] = GRAVE, ["Â"] = CIRCUMFLEX, ["Ä"] = DIAERESIS },
  C = { ["Ç"] = CEDILLA },
  E = { ["É"] = ACUTE, ["È"] = GRAVE, ["Ê"] = CIRCUMFLEX, ["Ë"] = DIAERESIS },
  I = { ["Î"] = CIRCUMFLEX, ["Ï"] = DIAERESIS },
  O = { ["Ô"] = CIRCUMFLEX, ["Ö"] = DIAERESIS },
  U = { ["Ù"] = GRAVE, ["Û"] = CIRCUMFLEX, ["Ü"] = DIAERESIS },
} do
  for character, accent in pairs(accented) do shapes[character] = shapes[letter] .. accent end
end
shapes["ẞ"] = "0,6 0,0 3,0 4,1 2.4,2.4 4,3.6 4,5 3,6 1.6,6"

-- Each glyph as a flat list of line segments: x1, y1, x2, y2, …
local glyphs = {}
for letter, text in pairs(shapes) do
  local segments = {}
  for stroke in text:gmatch "[^;]+" do
    local x, y
    for right, down in stroke:gmatch "([%d%.%-]+),([%d%.%-]+)" do
      local px, py = tonumber(right), tonumber(down)
      if x then
        local n = #segments
        segments[n + 1], segments[n + 2], segments[n + 3], segments[n + 4] = x, y, px, py
      end
      x, y = px, py
    end
  end
  glyphs[letter] = segments
end

---@param text string
---@param size number height of a capital, pixels
---@return number width pixels
function M.width(text, size) return (utf8.len(text) * ADVANCE - (ADVANCE - WIDTH)) * size / HEIGHT end

-- Returns the capital of a character if the font has a glyph for it, otherwise the character.
local function to_capital(character)
  if #character == 2 and character:byte(1) == 0xC3 then -- U+00C0 to U+00FF: lowercase from "à" on, and "ß" (U+00DF)
    local second = character:byte(2)
    return second == 0x9F and "ẞ" or second > 0x9F and "\xC3" .. string.char(second - 0x20) or character
  end
  return character:upper()
end

-- Draws text with the current colour, layer, space and blend. Lowercase letters are drawn as capitals.
---@param text string
---@param x number left edge, middle or right edge, depending on `align`
---@param y number top
---@param size number height of a capital, in pixels
---@param align? "left"|"center"|"right"
---@param thickness? number default: depends on `size`
function M.draw(text, x, y, size, align, thickness)
  local scale = size / HEIGHT
  local line = thickness or math.max(1.6, size * 0.085)
  if align == "center" then x = x - M.width(text, size) / 2 elseif align == "right" then x = x - M.width(text, size) end
  for character in text:gmatch "[%z\1-\127\194-\244][\128-\191]*" do
    local segments = glyphs[to_capital(character)]
    if segments then
      for k = 1, #segments, 4 do
        local x2, y2 = x + segments[k + 2] * scale, y + segments[k + 3] * scale
        draw.line(x + segments[k] * scale, y + segments[k + 1] * scale, x2, y2, line)
      end
    end
    x = x + ADVANCE * scale
  end
end

return M
