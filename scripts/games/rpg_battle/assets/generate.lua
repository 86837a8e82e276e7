-- Generates every sound of the game and field.png, its background. `luajit generate.lua [FOLDER]` writes them to FOLDER
-- (default: the folder of this file). Every run writes the same bytes. music.wav is a loop. pictures.lua generates the
-- pictures of the cards.
local bit = require "bit"
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local sin, exp, pi, floor, min, max = math.sin, math.exp, math.pi, math.floor, math.min, math.max
local TAU = 2 * pi
local write_sound, get_frequency, noise, encode_little_endian = wav.write, wav.hz, wav.noise_source(7), wav.little


-- Returns the sample at time `t` of a plucked string with the frequency `frequency`; higher overtones decay faster.
local function compute_pluck(frequency, t)
  local sum = 0
  for k = 1, 6 do sum = sum + sin(TAU * frequency * k * t) * exp(-t * (2.2 + 1.6 * k)) / k end
  return sum * min(1, t * 400)
end

local low = 0
for i, f in ipairs { 1900, 2150, 1700 } do
  write_sound("cut_" .. i, 0.22, 0.6, function(t)
    local whoosh = noise() * exp(-((t - 0.04) * 40) ^ 2)
    return whoosh * 0.7 + sin(TAU * f * t) * exp(-t * 38) * 0.5 + sin(TAU * f * 1.51 * t) * exp(-t * 50) * 0.3
  end)
  write_sound("clang_" .. i, 0.4, 0.55, function(t)
    return (sin(TAU * f * 0.31 * t) + 0.6 * sin(TAU * f * 0.83 * t) + 0.5 * sin(TAU * f * 1.27 * t)) * exp(-t * 15)
      + noise() * exp(-t * 120) * 0.6
  end)
  write_sound("thud_" .. i, 0.2, 0.7, function(t)
    low = low + (noise() - low) * 0.25
    return sin(TAU * (70 + f / 30) * t) * exp(-t * 26) + low * exp(-t * 40)
  end)
  write_sound("died_" .. i, 0.7, 0.75, function(t)
    local f0 = f / 9 * exp(-t * 2.2)
    local voice = sin(TAU * f0 * t + 1.6 * sin(TAU * f0 * 2 * t)) * exp(-t * 5)
    low = low + (noise() - low) * 0.1
    return voice * 0.7 + low * exp(-max(0, t - 0.25) * 14) * min(1, t * 5)
  end)
end
write_sound("shot", 0.25, 0.5, function(t) return compute_pluck(190, t) * 0.8 + noise() * exp(-t * 60) * 0.35 end)
write_sound("fire", 0.5, 0.6, function(t)
  low = low + (noise() - low) * (0.1 + 0.4 * exp(-t * 12))
  return low * exp(-t * 7) * (0.7 + 0.3 * sin(TAU * 23 * t))
end)
write_sound("spark", 0.3, 0.5, function(t)
  return sin(TAU * (900 + 500 * sin(TAU * 31 * t)) * t) * exp(-t * 17) + noise() * exp(-t * 70) * 0.3
end)
write_sound("heal", 0.9, 0.5, function(t)
  local sum = 0
  for i, note in ipairs { 74, 78, 81, 86 } do
    local elapsed = t - (i - 1) * 0.07
    if elapsed > 0 then sum = sum + sin(TAU * get_frequency(note) * elapsed) * exp(-elapsed * 6) end
  end
  return sum
end)
write_sound("summon", 0.9, 0.6, function(t)
  local f = 90 + 260 * t * t
  return (sin(TAU * f * t + 3 * sin(TAU * f * 1.5 * t)) * 0.7 + noise() * 0.12) * sin(pi * min(1, t / 0.9)) ^ 0.7
end)
-- Returns the sample at time `t` of a horn with the frequency `frequency`; higher overtones start later.
local function compute_horn(frequency, t)
  local sum = 0
  for k = 1, 7 do sum = sum + sin(TAU * frequency * k * t) * min(1, t * 14 / k) / k ^ 1.1 end
  return sum
end
local function write_fanfare(name, step, notes, last_seconds)
  write_sound(name, #notes * step + last_seconds, 0.75, function(t)
    local sum = 0
    for i, note in ipairs(notes) do
      local elapsed = t - (i - 1) * step
      local length = i == #notes and last_seconds * 0.6 or step * 0.9
      if elapsed > 0 then sum = sum + compute_horn(get_frequency(note),
        elapsed) * exp(-max(0, elapsed - length) * 14) end
    end
    return sum
  end)
end
write_fanfare("horn", 0.18, { 50, 50, 57 }, 0.9)
write_fanfare("won", 0.15, { 57, 62, 66, 69, 66, 69, 74 }, 1)
write_fanfare("lost", 0.28, { 57, 55, 53, 50 }, 1)
write_fanfare("best", 0.12, { 62, 66, 69, 74, 71, 74, 78 }, 1)
write_sound("card", 0.4, 0.6, function(t)
  return noise() * exp(-((t - 0.03) * 45) ^ 2) * 0.5 + compute_pluck(get_frequency(81), max(0, t - 0.04)) * 0.7
end)
write_sound("ui_focus", 0.12, 0.35, function(t) return compute_pluck(get_frequency(76), t) * exp(-t * 20) end)

-- Music of 16 bars of three beats in D dorian: a lute and a flute over a drone and a hand drum.
local BEAT = 60 / 126
local LUTE = { { 50, 57, 62, 65 }, { 50, 57, 62, 64 }, { 48, 55, 60, 64 }, { 48, 55, 60, 67 },
  { 53, 57, 60, 65 }, { 55, 59, 62, 67 }, { 50, 57, 62, 65 }, { 45, 57, 60, 64 } }
local TUNE = { 74, 0, 77, 76, 74, 72, 72, 0, 76, 74, 72, 71, 69, 0, 72, 74, 76, 77, 74, 0, 0, 72, 69, 67,
  74, 0, 77, 76, 77, 79, 81, 0, 79, 77, 76, 74, 72, 0, 76, 74, 72, 71, 74, 0, 0, 0, 0, 0 }
write_sound("music", 48 * BEAT, 0.75, function(t)
  local beat = t / BEAT
  local chord = LUTE[floor(beat / 6) % 8 + 1]
  local half = floor(beat * 2) % 6
  local sum = 0
  for back = 0, 3 do -- adds the current and the three previous notes, whose strings are still ringing
    local eighth = floor(beat * 2) - back
    local notes = LUTE[floor(eighth / 12) % 8 + 1]
    local note = notes[({ 1, 3, 4, 2, 4, 3 })[eighth % 6 + 1]]
    sum = sum + compute_pluck(get_frequency(note), t - eighth * BEAT / 2) * 0.5
  end
  local elapsed = (beat * 2 % 1) * BEAT / 2
  low = low + (noise() - low) * 0.2
  if half == 0 then sum = sum + sin(TAU * (62 + 60 * exp(-elapsed * 40)) * elapsed) * exp(-elapsed * 13) end
  if half == 4 or half == 5 then sum = sum + low * exp(-elapsed * 45) * 0.9 end
  local note = TUNE[floor(beat) % 48 + 1]
  local beat_elapsed = (beat % 1) * BEAT
  if note > 0 then
    local shape = min(1, beat_elapsed * 18) * min(1, (BEAT - beat_elapsed) * 14)
    local phase = TAU * get_frequency(note) * t + 0.12 * sin(TAU * 5.5 * t)
    sum = sum + (sin(phase) + 0.22 * sin(2 * phase) + 0.06 * low) * shape * 0.34
  end
  local drone = sin(TAU * get_frequency(38) * t) + 0.5 * sin(TAU * get_frequency(45) * t)
  return sum + drone * 0.14 * (chord[1] == 48 and 0.5 or 1)
end, 0)

-- The meadow at dusk: sky, sun, hills, trees, and grass that darkens towards the viewer.
local W, H, HORIZON = 480, 270, 92
local function blend(a, b, t)
  return { a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t, a[3] + (b[3] - a[3]) * t }
end
local function get_hill_height(x, row)
  return HORIZON - 22 + row * 9 + 7 * sin(x * (0.021 + 0.006 * row) + row * 2.1) + 3 * sin(x * 0.06 + row)
end
local trees = {}
for i = 1, 34 do trees[i] = { x = i * 97.3 % W, y = HORIZON + 6 + i * 31 % 9, r = 5 + i * 53 % 6 } end
local function draw_pixel(x, y)
  local colour = blend({ 74, 92, 150 }, { 255, 205, 134 }, min(1, y / HORIZON) ^ 1.2)
  local distance = math.sqrt((x - 330) ^ 2 + (y - 52) ^ 2)
  colour = blend(colour, { 255, 240, 200 }, distance < 19 and 1 or 0.55 * exp(-(distance - 19) / 22))
  local band = sin(x * 0.018 + 1.5 * sin(y * 0.21)) + sin(x * 0.041 + y * 0.5)
  if y < 70 and band > 1.15 then colour = blend(colour, { 255, 226, 190 }, min(1, (band - 1.15) * 2) * 0.5) end
  for row = 1, 3 do
    if y > get_hill_height(x, row) then colour = blend({ 148, 112, 132 }, { 112, 118, 76 }, row / 3) end
  end
  if y > HORIZON + 8 then
    local depth = (y - HORIZON - 8) / (H - HORIZON - 8)
    local patch = sin(x * 0.05 + y * 0.11) * sin(x * 0.023 - y * 0.07) * 8
    colour = blend({ 152, 158, 82 }, { 76, 96, 46 }, depth)
    colour = { colour[1] + patch, colour[2] + patch, colour[3] + patch * 0.5 }
    local tuft = (x * 7 + y * 13 + floor(x / 9) * 31 + floor(y / 5) * 57) % 83
    if tuft < 1 + depth * 1.5 then colour = blend(colour, { 50, 66, 30 }, 0.6) end
    local spot = sin(floor(x / 2) * 12.9898 + floor(y / 2) * 78.233) * 43758.5453 % 1
    if spot < 0.0035 then colour = { 244, 220, 140 } end
  end
  for _, tree in ipairs(trees) do
    local dx, dy = x - tree.x, y - tree.y + tree.r
    if dx * dx + dy * dy * 0.8 < tree.r * tree.r then
      colour = dx + dy < -1 and { 104, 112, 62 } or { 74, 82, 54 }
    elseif math.abs(dx) < 1 and y > tree.y - 3 and y < tree.y + 3 then
      colour = { 66, 48, 36 }
    end
  end
  local dither = (x * 12.9898 + y * 78.233) % 3 - 1.5 -- dithers the colours to avoid banding
  local out = {}
  for i = 1, 3 do out[i] = string.char(floor(max(0, min(255, colour[i] + dither)))) end
  return table.concat(out)
end

local function crc32(text)
  local crc = -1
  for i = 1, #text do
    crc = bit.bxor(crc, text:byte(i))
    for _ = 1, 8 do crc = bit.bxor(bit.rshift(crc, 1), bit.band(0xedb88320, -bit.band(crc, 1))) end
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

-- Writes the picture as a PNG: 8-bit RGB in uncompressed blocks.
local function encode_big_endian(v) return encode_little_endian(4, v):reverse() end
local function encode_chunk(kind, data) return encode_big_endian(#data) .. kind .. data
  .. encode_big_endian(crc32(kind .. data)) end
local rows = {}
for y = 0, H - 1 do
  local row = { "\0" }
  for x = 0, W - 1 do row[#row + 1] = draw_pixel(x, y) end
  rows[#rows + 1] = table.concat(row)
end
local raw, blocks = table.concat(rows), {}
for start = 1, #raw, 65535 do
  local part = raw:sub(start, start + 65534)
  local is_last = start + 65535 > #raw and "\1" or "\0"
  blocks[#blocks + 1] = is_last .. encode_little_endian(2, #part) .. encode_little_endian(2, 65535 - #part) .. part
end
local file = assert(io.open(wav.folder .. "/field.png", "wb"))
file:write("\137PNG\r\n\26\n", encode_chunk("IHDR", encode_big_endian(W) .. encode_big_endian(H) .. "\8\2\0\0\0"),
  encode_chunk("IDAT", "\120\1" .. table.concat(blocks) .. encode_big_endian(adler32(raw))), encode_chunk("IEND", ""))
file:close()
