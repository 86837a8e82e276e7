-- Generates every sound and figure of the game. `luajit generate.lua [FOLDER]` writes them to FOLDER (default: the
-- folder of this file). Every run writes the same bytes. music.wav is a loop without drums: the game plays the notes of
-- the fleet's march, march_1.wav to march_4.wav, over it.
local bit = require "bit"
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local sin, exp, pi, floor, min = math.sin, math.exp, math.pi, math.floor, math.min
local TAU = 2 * pi
local write_sound, get_frequency, saw, noise, encode_little_endian = wav.write, wav.hz, wav.saw, wav.noise_source(7),
  wav.little

-- The march: four low drums that descend in a minor key.
for i, note in ipairs { 33, 31, 29, 28 } do
  write_sound("march_" .. i, 0.28, 0.9, function(t)
    local f = get_frequency(note)
    return sin(TAU * f * (t + 0.02 * (1 - exp(-t * 60)))) * exp(-t * 11) + 0.5 * sin(TAU * f * 2 * t) * exp(-t * 18)
      + 0.25 * sin(TAU * f * 3 * t) * exp(-t * 24) + 0.2 * noise() * exp(-t * 220)
  end)
end
for i, top in ipairs { 1500, 1650, 1400 } do
  write_sound("shot_" .. i, 0.22, 0.6, function(t)
    local f = 180 + top * exp(-t * 22)
    return (sin(TAU * f * t) + 0.4 * saw(f * 0.5 * t)) * exp(-t * 18) + 0.25 * noise() * exp(-t * 120)
  end)
end
local low = 0
-- An invader explodes: a bell over noise. The game raises the pitch of the sound with the combo.
write_sound("kill", 0.4, 0.85, function(t)
  low = low + (noise() - low) * (0.08 + 0.6 * exp(-t * 20))
  return 0.7 * sin(TAU * 440 * t + 2 * exp(-t * 30) * sin(TAU * 880 * t)) * exp(-t * 13) + low * exp(-t * 22) * 1.2
    + 0.25 * sin(TAU * 1320 * t) * exp(-t * 24)
end)
write_sound("chip", 0.14, 0.6, function(t)
  low = low + (noise() - low) * 0.4
  return low * exp(-t * 45) + 0.4 * sin(TAU * (240 * exp(-t * 14)) * t) * exp(-t * 30)
end)
write_sound("lost", 1.5, 0.95, function(t)
  low = low + (noise() - low) * (0.03 + 0.5 * exp(-t * 5))
  return low * exp(-t * 3) * 1.6 + sin(TAU * (38 + 160 * exp(-t * 7)) * t) * exp(-t * 2.8)
    + 0.3 * saw((600 * exp(-t * 4) + 40) * t) * exp(-t * 5)
end)
-- The saucer: one second of a tone with vibrato. All oscillators complete whole periods, so that it loops seamlessly.
write_sound("saucer", 1, 0.6, function(t)
  local phase = TAU * 520 * t - 9 * math.cos(TAU * 8 * t)
  return sin(phase) + 0.35 * sin(2 * phase) + 0.15 * sin(3 * phase)
end, 0)

-- Writes a sequence of MIDI notes, one every `step` seconds, with three echoes.
local function write_melody(name, step, notes, peak)
  write_sound(name, #notes * step + 1, peak or 0.8, function(t)
    local sum = 0
    for echo = 0, 3 do
      for i, note in ipairs(notes) do
        local elapsed = t - (i - 1) * step - echo * 0.17
        if elapsed > 0 then
          local f = get_frequency(note)
          sum = sum + (saw(f * elapsed) + saw(f * 1.006 * elapsed) + 2 * sin(TAU * f * elapsed))
            * exp(-elapsed * 7) * min(1, elapsed * 400) * 0.45 ^ echo
        end
      end
    end
    return sum
  end)
end
write_melody("wave", 0.09, { 52, 59, 64, 67, 71 })
write_melody("bonus", 0.055, { 64, 67, 71, 76, 79, 83, 88 })
write_melody("over", 0.22, { 64, 62, 59, 55, 52 })
write_melody("best", 0.1, { 64, 67, 71, 76, 74, 79, 83, 88 })
write_melody("ui_press", 0.06, { 76, 83 })
write_sound("ui_focus", 0.08, 0.35, function(t) return sin(TAU * 1320 * t) * exp(-t * 60) end)

-- Music of four chords of two bars each, at 100 beats a minute: a swelling drone, a pad and distant bells.
local BEAT = 0.6
local CHORDS = { { 40, 52, 55, 59, 66 }, { 36, 52, 55, 60, 67 }, { 33, 52, 57, 60, 64 }, { 35, 51, 54, 59, 66 } }
local ORDER = { 3, 5, 4, 2, 5, 3, 4, 5 }
local drone = 0
write_sound("music", 32 * BEAT, 0.7, function(t)
  local beat = t / BEAT
  local chord = CHORDS[floor(beat / 8) % 4 + 1]
  local progress = beat % 8 / 8
  local swell = sin(pi * progress) ^ 0.5
  local f = floor(get_frequency(chord[1]) * 19.2 + 0.5) / 19.2
  drone = drone + (saw(f * t) + saw(f * 1.005 * t) - drone) * (0.02 + 0.05 * swell)
  local pad, bells = 0, 0
  for i = 2, 5 do pad =
    pad + sin(TAU * get_frequency(chord[i]) * t) + 0.5 * sin(TAU * get_frequency(chord[i]) * 1.004 * t) end
  for echo = 0, 2 do
    local echo_beat = (beat - echo * 0.75) % 32
    local note, elapsed = CHORDS[floor(echo_beat / 8) % 4 + 1][ORDER[floor(echo_beat) % 8 + 1]] + 12,
      (echo_beat % 1) * BEAT
    local bell = get_frequency(note)
    bells = bells + sin(TAU * bell * elapsed + 1.5 * exp(-elapsed * 9) * sin(TAU * bell * 3 * elapsed))
      * exp(-elapsed * 6) * min(1, elapsed * 300) * 0.5 ^ echo
  end
  return drone * 0.5 * (0.4 + 0.6 * swell) + pad * 0.12 * swell + bells * 0.45
end, 0)

-- The left halves of the figures; the right halves mirror them. Each figure fills a cell of 18 × 10 pixels, and all
-- cells are in one row.
local FIGURES = {
  { "....##", "...###", "..####", ".##.##", ".#####", "...#.#", "..#.#.", ".#.#.." }, -- squid
  { "....##", "...###", "..####", ".##.##", ".#####", "..#.##", ".#....", "..#..." },
  { ".#....", "..#...", "..####", ".##.##", "######", "#.####", "#.#...", "...##." }, -- crab
  { ".#....", "#.#...", "#.####", "###.##", "######", ".#####", "..#...", ".#...." },
  { "...###", ".#####", "######", "##..##", "######", "..##.#", ".##.#.", "##...." }, -- octopus
  { "...###", ".#####", "######", "##..##", "######", "..#.##", ".#..#.", "..##.." },
  { "", ".....###", "...#####", "..######", ".##.##.#", "########", "..###..#", "...#...." }, -- saucer
  { "", ".....###", "...#####", "..######", ".#.##.##", "########", "..###..#", "...#...." },
  { "......#", ".....##", ".....##", ".######", "#######", "#######", "#######", "##.#.##" }, -- cannon
  { "#...#####", "##.######", ".########", ".##..####", "###...###", "####.####", "#########", ".##.##.##", -- boss
    ".#...#..#" },
  { "....#####", "###.#####", ".########", ".##..####", "###...###", "####.####", "#########", ".##.##.##",
    "..#..#..." },
}

-- Returns the width, the height and the rows of the picture: white on transparent, a zero byte before each row.
local function draw_figures()
  local rows = {}
  for y = 0, 9 do
    local row = { "\0" }
    for _, figure in ipairs(FIGURES) do
      local half = figure[y] or ""
      for x = 0, 17 do
        local column = #half - (x < 9 and 8 - x or x - 9)
        row[#row + 1] = half:sub(column, column) == "#" and column > 0 and "\255\255\255\255" or "\255\255\255\0"
      end
    end
    rows[#rows + 1] = table.concat(row)
  end
  return 18 * #FIGURES, 10, table.concat(rows)
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

-- Returns an 8-bit RGBA PNG; its data is a single uncompressed block.
local function encode_png(width, height, rows)
  local function encode_big_endian(v) return encode_little_endian(4, v):reverse() end
  local function encode_chunk(kind, body) return encode_big_endian(#body) .. kind .. body
    .. encode_big_endian(crc32(kind .. body)) end
  return "\137PNG\r\n\26\n" .. encode_chunk("IHDR", encode_big_endian(width) .. encode_big_endian(height)
    .. "\8\6\0\0\0")
    .. encode_chunk("IDAT", "\120\1\1" .. encode_little_endian(2, #rows) .. encode_little_endian(2, 65535 - #rows)
    .. rows .. encode_big_endian(adler32(rows)))
    .. encode_chunk("IEND", "")
end
local file = assert(io.open(wav.folder .. "/figures.png", "wb"))
file:write(encode_png(draw_figures()))
file:close()
