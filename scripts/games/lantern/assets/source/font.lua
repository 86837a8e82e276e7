-- The game's pixel font, and its output as a TrueType font. An em is 8 pixels high: at a font size of 8, 16, 24 … every
-- pixel of the font covers whole pixels of the screen. strings/ja.lua uses japanese.otf, since this font lacks its
-- characters.
local floor, min, max = math.floor, math.min, math.max

local M = {}

-- The rows of each character from the top: seven above the baseline, two below it. Omitted rows are empty.
local GLYPHS = {
  A = ".##. #..# #..# #### #..# #..# #..#", B = "###. #..# #..# ###. #..# #..# ###.",
  C = ".### #... #... #... #... #... .###", D = "###. #..# #..# #..# #..# #..# ###.",
  E = "#### #... #... ###. #... #... ####", F = "#### #... #... ###. #... #... #...",
  G = ".### #... #... #.## #..# #..# .###", H = "#..# #..# #..# #### #..# #..# #..#",
  I = "### .#. .#. .#. .#. .#. ###", J = "..## ...# ...# ...# ...# #..# .##.",
  K = "#..# #..# #.#. ##.. #.#. #..# #..#", L = "#... #... #... #... #... #... ####",
  M = "#...# ##.## #.#.# #.#.# #...# #...# #...#", N = "#...# ##..# ##..# #.#.# #..## #..## #...#",
  O = ".##. #..# #..# #..# #..# #..# .##.", P = "###. #..# #..# ###. #... #... #...",
  Q = ".##. #..# #..# #..# #..# #.#. .#.#", R = "###. #..# #..# ###. #.#. #..# #..#",
  S = ".### #... #... .##. ...# ...# ###.", T = "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",
  U = "#..# #..# #..# #..# #..# #..# .##.", V = "#...# #...# #...# .#.#. .#.#. .#.#. ..#..",
  W = "#...# #...# #...# #.#.# #.#.# ##.## #...#", X = "#...# #...# .#.#. ..#.. .#.#. #...# #...#",
  Y = "#...# #...# .#.#. ..#.. ..#.. ..#.. ..#..", Z = "#### ...# ..#. .#.. #... #... ####",
  a = "- - .##. ...# .### #..# .###", b = "#... #... ###. #..# #..# #..# ###.",
  c = "- - .## #.. #.. #.. .##", d = "...# ...# .### #..# #..# #..# .###",
  e = "- - .##. #..# #### #... .###", f = ".## .#. ### .#. .#. .#. .#.",
  g = "- - .### #..# #..# #..# .### ...# .##.", h = "#... #... ###. #..# #..# #..# #..#",
  i = "# . # # # # #", j = ".# .. .# .# .# .# .# .# #.", k = "#... #... #..# #.#. ##.. #.#. #..#",
  l = "#. #. #. #. #. #. .#", m = "- - ####. #.#.# #.#.# #.#.# #.#.#", n = "- - ###. #..# #..# #..# #..#",
  o = "- - .##. #..# #..# #..# .##.", p = "- - ###. #..# #..# #..# ###. #... #...",
  q = "- - .### #..# #..# #..# .### ...# ...#", r = "- - #.# ##. #.. #.. #..",
  s = "- - .### #... .##. ...# ###.", t = ".#. .#. ### .#. .#. .#. .##", u = "- - #..# #..# #..# #..# .###",
  v = "- - #...# #...# .#.#. .#.#. ..#..", w = "- - #...# #.#.# #.#.# #.#.# .#.#.",
  x = "- - #.# #.# .#. #.# #.#", y = "- - #..# #..# #..# #..# .### ...# .##.",
  z = "- - #### ..#. .#.. #... ####",
  ["0"] = ".##. #..# #.## ##.# #..# #..# .##.", ["1"] = ".#. ##. .#. .#. .#. .#. ###",
  ["2"] = ".##. #..# ...# ..#. .#.. #... ####", ["3"] = "###. ...# ...# .##. ...# ...# ###.",
  ["4"] = "#..# #..# #..# #### ...# ...# ...#", ["5"] = "#### #... #... ###. ...# ...# ###.",
  ["6"] = ".##. #... #... ###. #..# #..# .##.", ["7"] = "#### ...# ..#. ..#. .#.. .#.. .#..",
  ["8"] = ".##. #..# #..# .##. #..# #..# .##.", ["9"] = ".##. #..# #..# .### ...# ...# .##.",
  [" "] = "...", ["!"] = "# # # # # . #", ['"'] = "#.# #.#", ["#"] = "- .#.#. ##### .#.#. ##### .#.#.",
  ["$"] = "..#.. .#### #.... .###. ....# ####. ..#..", ["%"] = "- ##..# ##.#. ..#.. .#.## #..##",
  ["&"] = ".#.. #.#. #.#. .#.. #.## #.#. .#.#", ["'"] = "# #", ["("] = ".# #. #. #. #. #. .#",
  [")"] = "#. .# .# .# .# .# #.", ["*"] = "- #.# .#. #.#", ["+"] = "- - ..#.. ..#.. ##### ..#.. ..#..",
  [","] = "- - - - - - .# .# #.", ["-"] = "- - - - ###", ["."] = "- - - - - - #",
  ["/"] = "...# ...# ..#. ..#. .#.. #... #...", [":"] = "- - - # . . #", [";"] = "- - - .# .. .. .# .# #.",
  ["<"] = "- ..# .#. #.. .#. ..#", ["="] = "- - #### .... ####", [">"] = "- #.. .#. ..# .#. #..",
  ["?"] = ".##. #..# ...# ..#. .#.. .... .#..", ["@"] = ".###. #...# #.### #.#.# #.### #.... .###.",
  ["["] = "## #. #. #. #. #. ##", ["\\"] = "#... #... .#.. .#.. ..#. ...# ...#", ["]"] = "## .# .# .# .# .# ##",
  ["^"] = ".#. #.#", ["_"] = "- - - - - - - ####", ["`"] = "#. .#", ["{"] = ".## .#. .#. #.. .#. .#. .##",
  ["|"] = "# # # # # # # #", ["}"] = "##. .#. .#. ..# .#. .#. ##.", ["~"] = "- - - .#.# #.#.",
  ["Ä"] = "#..# .... .##. #..# #### #..# #..#", ["À"] = ".#.. ..#. .##. #..# #### #..# #..#",
  ["Â"] = ".##. #..# .##. #..# #### #..# #..#", ["Ç"] = ".### #... #... #... #... #... .### ..#. .#..",
  ["É"] = "..#. .#.. #### #... ###. #... ####", ["È"] = ".#.. ..#. #### #... ###. #... ####",
  ["Ê"] = ".##. #..# #### #... ###. #... ####", ["Î"] = ".#. #.# ### .#. .#. .#. ###",
  ["Ô"] = ".##. #..# .##. #..# #..# #..# .##.", ["Ö"] = "#..# .... .##. #..# #..# #..# .##.",
  ["Ü"] = "#..# .... #..# #..# #..# #..# .##.", ["ß"] = ".##. #..# #..# #.#. #..# #..# #.#.",
  ["ä"] = "#..# .... .##. ...# .### #..# .###", ["à"] = ".#.. ..#. .##. ...# .### #..# .###",
  ["â"] = ".#.. #.#. .##. ...# .### #..# .###", ["ç"] = "- - .## #.. #.. #.. .## .#. #..",
  ["é"] = "..#. .#.. .##. #..# #### #... .###", ["è"] = ".#.. ..#. .##. #..# #### #... .###",
  ["ê"] = ".#.. #.#. .##. #..# #### #... .###", ["ë"] = "#..# .... .##. #..# #### #... .###",
  ["î"] = ".#. #.# ... .#. .#. .#. .#.", ["ï"] = "#.# ... .#. .#. .#. .#. .#.",
  ["ô"] = ".#.. #.#. .##. #..# #..# #..# .##.", ["ö"] = "#..# .... .##. #..# #..# #..# .##.",
  ["ù"] = ".#.. ..#. #..# #..# #..# #..# .###", ["û"] = ".#.. #.#. #..# #..# #..# #..# .###",
  ["ü"] = "#..# .... #..# #..# #..# #..# .###", ["œ"] = "- - .#.#. #.#.# #.### #.#.. .#.##",
  ["„"] = "- - - - - - #.# #.#", ["«"] = "- - .#.# #.#. .#.#", ["»"] = "- - #.#. .#.# #.#.",
  ["·"] = "- - - - #", ["×"] = "- - #.# .#. #.#", ["−"] = "- - - - #####", ["–"] = "- - - - ####",
  ["—"] = "- - - - ######",
  ["‘"] = "# #", ["’"] = "# #", ["“"] = "#.# #.#", ["”"] = "#.# #.#", ["…"] = "- - - - - - #.#.#",
  ["‹"] = "- - ..# .#. #.. .#. ..#", ["›"] = "- - #.. .#. ..# .#. #..",
  ["▸"] = "- #.. ##. ### ##. #..", ["◂"] = "- ..# .## ### .## ..#", ["▾"] = "- - ##### .###. ..#..",
  ["▴"] = "- - ..#.. .###. #####",
  ["←"] = "- - .#... #.... ##### #.... .#...", ["→"] = "- - ...#. ....# ##### ....# ...#.",
  ["↑"] = "- ..#.. .#.#. #.#.# ..#.. ..#.. ..#..", ["↓"] = "- ..#.. ..#.. ..#.. #.#.# .#.#. ..#..",
}

local UNIT = 128 -- font units per pixel
local EM, ASCENT, DESCENT, LINE_GAP = 8, 8, 2, 0

-- --- binary data, big-endian

local function u8(n) return string.char(n % 256) end
local function u16(n) return u8(floor(n / 256)) .. u8(n) end -- negative numbers become two's complement
local function u32(n) return u16(floor(n / 65536)) .. u16(n) end
local function pad(data, size) return data .. ("\0"):rep(-#data % size) end

local function add_checksum(data)
  local sum = 0
  data = pad(data, 4)
  for i = 1, #data, 4 do
    local a, b, c, d = data:byte(i, i + 3)
    sum = (sum + ((a * 256 + b) * 256 + c) * 256 + d) % 2 ^ 32
  end
  return sum
end

-- --- glyphs

local function decode_utf8(text)
  local a, b, c = text:byte(1, 3)
  if not b then return a end
  if not c then return (a - 192) * 64 + b - 128 end
  return ((a - 224) * 64 + b - 128) * 64 + c - 128
end

-- Returns the runs of set pixels as { left, top row, width } and the width of the drawing.
local function find_runs(drawing)
  local runs, width, row = {}, 0, 0
  for line in drawing:gmatch "%S+" do
    width = max(width, line == "-" and 0 or #line)
    for left, set in line:gmatch "()(#+)" do runs[#runs + 1] = { left - 1, row, #set } end
    row = row + 1
  end
  return runs, width
end

-- Returns an entry of the table glyf: a rectangle for each run of pixels.
local function encode_glyph(runs)
  if #runs == 0 then return "" end
  local ends, flags, xs, ys, px, py = {}, {}, {}, {}, 0, 0
  local left, right, bottom, top = math.huge, -math.huge, math.huge, -math.huge
  for i, run in ipairs(runs) do
    local x1, y1 = run[1] * UNIT, (7 - run[2]) * UNIT
    local x2, y2 = x1 + run[3] * UNIT, y1 - UNIT
    left, right, bottom, top = min(left, x1), max(right, x2), min(bottom, y2), max(top, y1)
    for _, point in ipairs { { x1, y1 }, { x2, y1 }, { x2, y2 }, { x1, y2 } } do -- the corners in clockwise order
      flags[#flags + 1], xs[#xs + 1], ys[#ys + 1] = u8(1), u16(point[1] - px), u16(point[2] - py)
      px, py = point[1], point[2]
    end
    ends[i] = u16(4 * i - 1)
  end
  local box = u16(left) .. u16(bottom) .. u16(right) .. u16(top)
  local points = table.concat(flags) .. table.concat(xs) .. table.concat(ys)
  return pad(u16(#runs) .. box .. table.concat(ends) .. u16(0) .. points, 4)
end

-- Returns the characters in the order of their code points: { code, runs, advance in pixels }.
local function list_characters()
  local out = {}
  for text, drawing in pairs(GLYPHS) do
    local runs, width = find_runs(drawing)
    out[#out + 1] = { code = decode_utf8(text), runs = runs, advance = width + 1 }
  end
  table.sort(out, function(a, b) return a.code < b.code end)
  return out
end

-- --- tables of the font

-- Returns the table cmap in format 4, with a segment for each character.
local function encode_cmap(characters)
  local starts, ends, deltas, offsets, count = {}, {}, {}, {}, #characters + 1
  for i, character in ipairs(characters) do
    starts[i], ends[i], offsets[i] = u16(character.code), u16(character.code), u16(0)
    deltas[i] = u16(i - character.code)
  end
  starts[count], ends[count], deltas[count], offsets[count] = u16(65535), u16(65535), u16(1), u16(0)
  local power = 2 ^ floor(math.log(count) / math.log(2))
  local body = u16(count * 2) .. u16(power * 2) .. u16(math.log(power) / math.log(2) + 0.5) .. u16((count - power) * 2)
    .. table.concat(ends) .. u16(0) .. table.concat(starts) .. table.concat(deltas) .. table.concat(offsets)
  return u16(0) .. u16(1) .. u16(3) .. u16(1) .. u32(12) .. u16(4) .. u16(#body + 6) .. u16(0) .. body
end

local function encode_name(family)
  local names, texts, at = {}, {}, 0
  for i, entry in ipairs { { 1, family }, { 2, "Regular" }, { 4, family }, { 6, family:gsub(" ", "") } } do
    local text = entry[2]:gsub(".", "\0%0")
    names[i], texts[i] = u16(3) .. u16(1) .. u16(0x409) .. u16(entry[1]) .. u16(#text) .. u16(at), text
    at = at + #text
  end
  return u16(0) .. u16(#names) .. u16(6 + 12 * #names) .. table.concat(names) .. table.concat(texts)
end

local function encode_os2(first, last)
  return u16(4) .. u16(5 * UNIT) .. u16(400) .. u16(5) .. u16(0) .. u16(UNIT):rep(10) .. u16(0) .. ("\0"):rep(10)
    .. u32(1) .. u32(0):rep(3) .. "SHOL" .. u16(64) .. u16(first) .. u16(last) .. u16(ASCENT * UNIT)
    .. u16(-DESCENT * UNIT) .. u16(LINE_GAP * UNIT) .. u16(ASCENT * UNIT) .. u16(DESCENT * UNIT) .. u32(1) .. u32(0)
    .. u16(5 * UNIT) .. u16(7 * UNIT) .. u16(0) .. u16(32) .. u16(1)
end

-- Returns the tables by name; `checkSumAdjustment` of head is still 0.
local function encode_tables()
  local characters = list_characters()
  local missing = { runs = find_runs "#### #..# #..# #..# #..# #..# ####", advance = 5 }
  local glyphs, locations, metrics, at, contours = {}, {}, {}, 0, 0
  for i = 0, #characters do
    local character = characters[i] or missing
    local glyph = encode_glyph(character.runs)
    glyphs[#glyphs + 1], locations[#locations + 1] = glyph, u32(at)
    metrics[#metrics + 1] = u16(character.advance * UNIT) .. u16(0)
    at, contours = at + #glyph, max(contours, #character.runs)
  end
  local count, points = #glyphs, contours * 4
  return {
    ["OS/2"] = encode_os2(characters[1].code, characters[#characters].code),
    cmap = encode_cmap(characters), glyf = table.concat(glyphs), loca = table.concat(locations) .. u32(at),
    head = u32(0x10000) .. u32(0x10000) .. u32(0) .. u32(0x5f0f3cf5) .. u16(3) .. u16(EM * UNIT) .. ("\0"):rep(16)
      .. u16(0) .. u16(-DESCENT * UNIT) .. u16(7 * UNIT) .. u16(7 * UNIT) .. u16(0) .. u16(8) .. u16(2) .. u16(1)
      .. u16(0),
    hhea = u32(0x10000) .. u16(ASCENT * UNIT) .. u16(-DESCENT * UNIT) .. u16(LINE_GAP * UNIT) .. u16(8 * UNIT)
      .. u16(0) .. u16(0) .. u16(7 * UNIT) .. u16(1) .. u16(0) .. u16(0) .. ("\0"):rep(8) .. u16(0) .. u16(count),
    hmtx = table.concat(metrics),
    maxp = u32(0x10000) .. u16(count) .. u16(points) .. u16(contours) .. u16(0) .. u16(0) .. u16(1) .. u16(0):rep(8),
    name = encode_name "Lantern Pixels",
    post = u32(0x30000) .. u32(0) .. u16(-UNIT) .. u16(UNIT) .. u32(0):rep(5),
  }
end

-- Returns the first character of the text that the font lacks; nil if it has all characters.
---@param text string
---@return string?
function M.find_missing(text)
  for character in text:gmatch "[%z\1-\127\194-\244][\128-\191]*" do
    if not GLYPHS[character] and character ~= "\n" then return character end
  end
end

---@return string bytes of a TrueType font
function M.encode()
  local tables, names, records, bodies = encode_tables(), {}, {}, {}
  for name in pairs(tables) do names[#names + 1] = name end
  table.sort(names)
  local function assemble()
    local at = 12 + 16 * #names
    for i, name in ipairs(names) do
      local data = tables[name]
      records[i] = name .. u32(add_checksum(data)) .. u32(at) .. u32(#data)
      bodies[i] = pad(data, 4)
      at = at + #bodies[i]
    end
    local power = 2 ^ floor(math.log(#names) / math.log(2))
    return u32(0x10000) .. u16(#names) .. u16(power * 16) .. u16(math.log(power) / math.log(2) + 0.5)
      .. u16((#names - power) * 16) .. table.concat(records) .. table.concat(bodies)
  end
  local sum = add_checksum(assemble())
  local head = tables.head
  local adjustment = (0xb1b0afba - sum) % 2 ^ 32
  local file = assemble()
  local at = file:find(head, 1, true)
  return file:sub(1, at + 7) .. u32(adjustment) .. file:sub(at + 12)
end

return M
