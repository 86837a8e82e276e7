-- Generates every sound and figure of the game. `luajit generate.lua [FOLDER]` writes them to FOLDER (default: the
-- folder of this file). Every run writes the same bytes. Plucked strings use the Karplus-Strong algorithm; all other
-- sounds consist of oscillators and noise. music.wav is a loop.
local bit, ffi = require "bit", require "ffi"
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local RATE = wav.RATE
local sin, cos, exp, pi, floor, min, max, abs = math.sin, math.cos, math.exp, math.pi, math.floor, math.min, math.max,
  math.abs
local TAU = 2 * pi

-- --- sounds: tables of samples

-- Writes a sound, scaled to a peak of `peak` (1: full scale). With `loops`, the whole file repeats; otherwise its end
-- fades.
local function write_sound(name, samples, peak, loops)
  if not loops then
    for i = 1, #samples do samples[i] = samples[i] * min(1, (#samples - i) / 300) end
  end
  wav.write_samples(name, samples, peak, loops and 0)
end

local create_buffer, noise, get_frequency, encode_little_endian = wav.make, wav.noise_source(11), wav.hz, wav.little

-- Mixes `samples` into the loop `loop`, starting at `seconds` seconds. Samples past the end wrap around, so that the
-- loop is seamless.
local function mix(loop, seconds, samples, gain)
  local n, first_index = #loop, floor(seconds * RATE)
  for i = 1, #samples do
    local k = (first_index + i - 1) % n + 1
    loop[k] = loop[k] + samples[i] * (gain or 1)
  end
end

-- Returns the sound of a plucked string: noise in a ring buffer, smoothed on every pass. `soft`, 0 … 1, muffles the
-- noise.
local function create_pluck(note, seconds, soft)
  local length = floor(RATE / get_frequency(note) + 0.5)
  local ring, previous, out = {}, 0, {}
  for i = 1, length do
    previous = previous + (noise() - previous) * (1 - soft)
    ring[i] = previous
  end
  for i = 1, floor(seconds * RATE) do
    local k = (i - 1) % length + 1
    out[i] = ring[k]
    ring[k] = 0.4985 * (ring[k] + ring[k % length + 1])
  end
  return out
end

-- Returns the sound of a whistled note with vibrato.
local function create_whistle(note, seconds)
  local phase = 0
  return create_buffer(seconds + 0.1, function(t)
    local bend = 1 + 0.007 * sin(TAU * 5.6 * t) * min(1, t * 4) - 0.03 * exp(-t * 40)
    phase = phase + get_frequency(note) * bend / RATE
    local shape = min(1, t * 22) * min(1, max(0, seconds + 0.1 - t) * 12)
    return (sin(TAU * phase) + 0.08 * sin(2 * TAU * phase) + 0.05 * noise()) * shape
  end)
end

local function create_hoof(pitch) -- returns the sound of a hoof on wood; pitch in Hz
  return create_buffer(0.1, function(t) return (sin(TAU * pitch * t) + 0.5 * sin(TAU * pitch * 2.4 * t)) * exp(-t * 55)
    + 0.4 * noise() * exp(-t * 300) end)
end

local function create_bell(note, seconds, decay)
  return create_buffer(seconds, function(t)
    return sin(TAU * get_frequency(note) * t) * exp(-t * decay)
      + 0.6 * sin(TAU * get_frequency(note) * 2.76 * t) * exp(-t * decay * 1.6)
      + 0.3 * sin(TAU * get_frequency(note) * 5.4 * t) * exp(-t * decay * 3)
  end)
end

for i, note in ipairs { 86, 88, 91 } do write_sound("pick_" .. i, create_bell(note, 0.35, 12), 0.5) end
write_sound("stash", create_bell(79, 0.4, 11), 0.6)
write_sound("dash", create_buffer(0.3, function(t)
  return noise() * sin(pi * min(1, t / 0.3)) ^ 2 * (0.5 + 0.5 * sin(TAU * 40 * t))
end), 0.45)
local low = 0
write_sound("hit", create_buffer(0.5, function(t)
  low = low + (noise() - low) * (0.1 + 0.5 * exp(-t * 25))
  return low * exp(-t * 12) * 1.6 + sin(TAU * (60 + 90 * exp(-t * 30)) * t) * exp(-t * 9)
end), 0.9)
write_sound("shot", create_buffer(0.9, function(t) -- a pistol shot and its two echoes from the canyon
  local sum = 0
  for k, start in ipairs { 0, 0.21, 0.4 } do
    local elapsed = t - start
    if elapsed > 0 then
      low = low + (noise() - low) * (0.06 + 0.7 * exp(-elapsed * 30))
      sum = sum + low * exp(-elapsed * 10) * 0.4 ^ (k - 1)
    end
  end
  return sum
end), 0.8)
write_sound("wanted", create_buffer(1.1, function(t) -- a two-finger whistle
  local frequency = t < 0.35 and 1500 + 1400 * t / 0.35 or t < 0.5 and 0 or 2900 - 1300 * (t - 0.5) / 0.6
  return frequency == 0 and 0 or (sin(TAU * frequency * t * 0.5) + 0.15 * noise()) * min(1, (1.1 - t) * 6)
end), 0.35)
write_sound("bell", create_buffer(2,
  function(t) return sin(TAU * 523 * t) * exp(-t * 2) + 0.7 * sin(TAU * 1244 * t) * exp(-t * 3)
  + 0.4 * sin(TAU * 1980 * t) * exp(-t * 5) end), 0.6)
write_sound("ui_focus", create_hoof(900), 0.3)
write_sound("ui_press", create_hoof(500), 0.6)

local function write_phrase(name, step, notes, peak)
  local out = create_buffer(#notes * step + 1.4, function() return 0 end)
  for i, note in ipairs(notes) do
    mix(out, (i - 1) * step, create_pluck(note, 1.3, 0.3), 1)
    mix(out, (i - 1) * step, create_pluck(note - 12, 1.3, 0.5), 0.7)
  end
  write_sound(name, out, peak or 0.8)
end
write_phrase("win", 0.13, { 57, 64, 69, 73, 76, 81 })
write_phrase("lose", 0.24, { 64, 60, 59, 56, 52 })
write_phrase("best", 0.1, { 69, 73, 76, 81, 76, 81, 85, 88 })

-- Music: a trot at 108 beats a minute, eight bars, with a whistled tune.
local BEAT = 60 / 108
local CHORDS = { { 45, 57, 60, 64 }, { 45, 57, 60, 64 }, { 41, 57, 60, 65 }, { 43, 55, 59, 62 }, { 45, 57, 60, 64 },
  { 48, 55, 60, 64 }, { 40, 56, 59, 64 }, { 45, 57, 60, 64 } }
-- Pairs of MIDI note and length in beats; note 0 is a rest.
local TUNE = { 69, 1, 72, 1, 74, 1, 76, 3, 0, 2, 77, 1, 76, 1, 74, 1, 72, 1, 74, 2, 71, 2, 72, 1, 74, 1, 76, 2, 79, 3,
  76, 1, 77, 1, 76, 1, 74, 0.5, 72, 0.5, 71, 1, 69, 4 }
local music = create_buffer(32 * BEAT, function() return 0 end)
local first_hoof, second_hoof, brush = create_hoof(760), create_hoof(560),
  create_buffer(0.12, function(t) return noise() * exp(-t * 40) end)
for beat = 0, 31 do
  local chord, seconds = CHORDS[floor(beat / 4) + 1], beat * BEAT
  if beat % 2 == 0 then
    mix(music, seconds, create_pluck(chord[1] - (beat % 4 == 2 and 5 or 0), 0.9, 0.75), 1.6)
  else
    for i = 2, 4 do mix(music, seconds + i * 0.012, create_pluck(chord[i], 0.7, 0.35), 0.5) end
    mix(music, seconds, brush, 0.25)
  end
  mix(music, seconds, first_hoof, 0.3)
  mix(music, seconds + BEAT * 0.5, second_hoof, 0.22)
  mix(music, seconds + BEAT * 0.75, second_hoof, 0.16)
  if beat % 8 == 7 then for i = 2, 4 do mix(music, seconds + BEAT * 0.5, create_pluck(chord[i] + 12, 0.6, 0.2),
    0.35) end end
end
local beat_time = 0
for i = 1, #TUNE, 2 do
  if TUNE[i] > 0 then
    local whistled = create_whistle(TUNE[i] + 12, TUNE[i + 1] * BEAT * 0.9)
    mix(music, beat_time * BEAT, whistled, 0.3)
    mix(music, beat_time * BEAT + 0.28, whistled, 0.07) -- adds the echo from the canyon
  end
  beat_time = beat_time + TUNE[i + 1]
end
write_sound("music", music, 0.8, true)

-- --- the figures: frames of 64 × 64 pixels in one row; coordinates are in pixels, relative to the centre of the frame

local function parse_colour(hex)
  local r, g, b = hex:match "(..)(..)(..)"
  return { tonumber(r, 16) / 255, tonumber(g, 16) / 255, tonumber(b, 16) / 255 }
end
local function mix_colours(a, b, share)
  return { a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share, a[3] + (b[3] - a[3]) * share }
end
local INK, WHITE = parse_colour "2b1810", parse_colour "ffffff"

-- Returns a shape: a function that returns true if a position is inside. Like `create_box`, `create_oval` takes the
-- centre x, y and the half extents rx, ry.
local function create_oval(x, y, rx, ry)
  return function(px, py)
    local dx, dy = (px - x) / rx, (py - y) / ry
    return dx * dx + dy * dy <= 1
  end
end
local function create_box(x, y, rx, ry, turn)
  local cosine, sine = cos(turn or 0), sin(turn or 0)
  return function(px, py)
    local dx, dy = px - x, py - y
    return abs(dx * cosine + dy * sine) <= rx and abs(dy * cosine - dx * sine) <= ry
  end
end
-- Returns a shape like a pebble with rounded corners: its radius depends on the angle.
local function create_stone(x, y, radius, corners, turn)
  return function(px, py)
    local dx, dy = px - x, py - y
    local angle = math.atan2(dy, dx) + turn
    local part = TAU / corners
    local angle_offset = angle % part - part / 2
    return math.sqrt(dx * dx + dy * dy) * cos(angle_offset) <= radius * (0.9 + 0.1 * sin(angle * 2 + turn))
  end
end

-- Paints layers { shape, colour }, bottom layer first. Returns a list of pixels, four bytes each (RGBA); each pixel is
-- the average of 16 samples.
local function paint(layers)
  local out = {}
  for y = 0, 63 do
    for x = 0, 63 do
      local r, g, b, a = 0, 0, 0, 0
      for k = 0, 15 do
        local px, py = x - 31.875 + k % 4 * 0.25, y - 31.875 + floor(k / 4) * 0.25
        for i = #layers, 1, -1 do
          if layers[i][1](px, py) then
            local c = layers[i][2]
            r, g, b, a = r + c[1], g + c[2], b + c[3], a + 1
            break
          end
        end
      end
      local function to_byte(v) return floor(v / max(1, a) * 255 + 0.5) end
      out[#out + 1] = string.char(to_byte(r), to_byte(g), to_byte(b), floor(a / 16 * 255 + 0.5))
    end
  end
  return out
end

-- Appends a filled shape with an ink outline; `outline` is the shape enlarged by the width of the outline.
local function add_outlined(layers, shape, outline, fill)
  layers[#layers + 1] = { outline, INK }
  layers[#layers + 1] = { shape, fill }
end

-- Returns the layers of a rider seen from above, facing right.
local function create_rider(cloth, hat, skin)
  local l, dark = {}, mix_colours(cloth, INK, 0.35)
  add_outlined(l, create_oval(-2, 0, 13, 24), create_oval(-2, 0, 15, 26), cloth)
  for _, y in ipairs { -16, -9, 9, 16 } do
    l[#l + 1] = { create_box(-2, y, 9, 1.6), y * y > 100 and mix_colours(cloth, WHITE, 0.6) or dark }
  end
  for _, side in ipairs { -1, 1 } do add_outlined(l, create_oval(10, side * 19, 4, 4),
    create_oval(10, side * 19, 6, 6), skin) end
  add_outlined(l, create_oval(1, 0, 20, 17), create_oval(1, 0, 22, 19), mix_colours(hat, INK, 0.18))
  l[#l + 1] = { create_oval(2, -1, 17, 14.5), hat }
  l[#l + 1] = { create_oval(-1, 0, 13, 11.5), INK }
  l[#l + 1] = { create_oval(-1, 0, 12, 10.5), cloth }
  l[#l + 1] = { create_oval(-1, 0, 10, 8.5), mix_colours(hat, WHITE, 0.12) }
  l[#l + 1] = { create_oval(-1, 0, 7, 2.2), mix_colours(hat, INK, 0.45) }
  l[#l + 1] = { create_oval(6, -3, 2.6, 2.2), mix_colours(hat, WHITE, 0.3) }
  return l
end
local function add_coin(l, x, y, radius)
  add_outlined(l, create_oval(x, y, radius, radius), create_oval(x, y, radius + 2, radius + 2), parse_colour "f2b632")
  l[#l + 1] = { create_oval(x - 1, y - 1, radius * 0.72, radius * 0.72), parse_colour "ffdf73" }
  l[#l + 1] = { create_box(x - 1, y - 1, radius * 0.14, radius * 0.42), parse_colour "d08d1c" }
  return l
end
local function create_sack(cloth, size)
  local l = {}
  add_outlined(l, create_oval(0, 4, 15 * size, 14 * size), create_oval(0, 4, 15 * size + 2, 14 * size + 2), cloth)
  l[#l + 1] = { create_oval(-3 * size, 1, 10 * size, 9 * size), mix_colours(cloth, WHITE, 0.2) }
  add_outlined(l, create_box(0, -11 * size, 7 * size, 4 * size), create_box(0, -11 * size, 7 * size + 2, 4 * size + 2),
    mix_colours(cloth, INK, 0.2))
  return add_coin(l, 0, 5, 6 * size)
end

local FRAMES = {}
for i, hex in ipairs { "2d6fb7", "c23b34", "3c8d4e", "8a4aa8" } do
  FRAMES[i] = create_rider(parse_colour(hex), mix_colours(parse_colour "c99560", parse_colour(hex), 0.45),
    parse_colour "e8b98a")
end
FRAMES[5] = create_rider(parse_colour "8f1f1f", parse_colour "33272a", parse_colour "d9a878")
FRAMES[6] = add_coin({}, 0, 0, 10)
FRAMES[7] = add_coin(add_coin({}, -6, 4, 10), 7, -4, 10)
FRAMES[8] = create_sack(parse_colour "d99a3d", 0.9)
FRAMES[9] = create_sack(parse_colour "d9682f", 1.1)
FRAMES[10] = {} -- frame 10: a chest
do
  local l = FRAMES[10]
  add_outlined(l, create_box(0, 0, 20, 14), create_box(0, 0, 22, 16), parse_colour "b5332c")
  l[#l + 1] = { create_box(0, -6, 20, 8), parse_colour "d24a3c" }
  for _, x in ipairs { -14, 14 } do l[#l + 1] = { create_box(x, 0, 2.4, 14), parse_colour "f2b632" } end
  l[#l + 1] = { create_box(0, 1.5, 20, 1.5), INK }
  add_outlined(l, create_box(0, 2, 4, 4.5), create_box(0, 2, 5.5, 6), parse_colour "ffdf73")
end
-- Frame 11: a caught outlaw, tied up.
FRAMES[11] = create_rider(parse_colour "8f1f1f", parse_colour "33272a", parse_colour "d9a878")
for _, x in ipairs { -9, -2, 5 } do table.insert(FRAMES[11], { create_box(x, 0, 1.8, 25), parse_colour "f0deb0" }) end
for i, turn in ipairs { 0.4, 1.9 } do
  local l, grey = {}, parse_colour(i == 1 and "a4745a" or "96705f")
  add_outlined(l, create_stone(0, 0, 27, 7, turn), create_stone(0, 0, 29.5, 7, turn), mix_colours(grey, INK, 0.3))
  l[#l + 1] = { create_stone(-2, -3, 23, 7, turn + 0.2), grey }
  l[#l + 1] = { create_stone(-6, -8, 13, 6, turn), mix_colours(grey, WHITE, 0.25) }
  l[#l + 1] = { create_stone(9, 8, 6, 5, turn), mix_colours(grey, INK, 0.2) }
  FRAMES[11 + i] = l
end
do -- draws a cactus seen from above
  local l, green = {}, parse_colour "4f8f4a"
  add_outlined(l, create_oval(0, 0, 24, 24), create_oval(0, 0, 26.5, 26.5), mix_colours(green, INK, 0.3))
  for k = 0, 7 do l[#l + 1] = { create_oval(cos(k * pi / 4) * 13, sin(k * pi / 4) * 13, 8.5, 8.5), green } end
  for k = 0, 7 do
    l[#l + 1] = { create_oval(cos(k * pi / 4) * 14 - 1.5, sin(k * pi / 4) * 14 - 1.5, 5, 5),
      mix_colours(green, WHITE, 0.18) }
    l[#l + 1] = { create_oval(cos(k * pi / 4) * 19, sin(k * pi / 4) * 19, 1.3, 1.3), parse_colour "f5f0c8" }
  end
  add_outlined(l, create_oval(0, 0, 6, 6), create_oval(0, 0, 7.5, 7.5), parse_colour "e8617f")
  l[#l + 1] = { create_oval(0, 0, 2.4, 2.4), parse_colour "ffdf73" }
  FRAMES[14] = l
end

local function crc32(text)
  local crc = -1
  for i = 1, #text do
    crc = bit.bxor(crc, text:byte(i))
    for _ = 1, 8 do crc = bit.bxor(bit.rshift(crc, 1), bit.band(0xedb88320, -bit.band(crc, 1))) end
  end
  return bit.bnot(crc) % 4294967296
end

ffi.cdef "int compress2(uint8_t *to, unsigned long *length, const char *from, unsigned long size, int level);"
local function compress(data)
  local length = ffi.new("unsigned long[1]", #data + 1024)
  local buffer = ffi.new("uint8_t[?]", #data + 1024)
  assert(ffi.load "z".compress2(buffer, length, data, #data, 9) == 0)
  return ffi.string(buffer, length[0])
end

local function encode_png(width, height, data) -- returns an 8-bit RGBA PNG
  local function encode_big_endian(v) return encode_little_endian(4, v):reverse() end
  local function encode_chunk(kind, body) return encode_big_endian(#body) .. kind .. body
    .. encode_big_endian(crc32(kind .. body)) end
  return "\137PNG\r\n\26\n" .. encode_chunk("IHDR", encode_big_endian(width) .. encode_big_endian(height)
    .. "\8\6\0\0\0") .. encode_chunk("IDAT", compress(data))
    .. encode_chunk("IEND", "")
end

do -- draws the sun
  local l = {}
  for k = 0, 7 do
    l[#l + 1] = { create_box(cos(k * pi / 4) * 24, sin(k * pi / 4) * 24, 5, 1.8, k * pi / 4), parse_colour "e8862f" }
  end
  add_outlined(l, create_oval(0, 0, 14, 14), create_oval(0, 0, 16, 16), parse_colour "f2b632")
  l[#l + 1] = { create_oval(-3, -3, 8, 8), parse_colour "ffdf73" }
  FRAMES[15] = l
end

local function save(name, width, height, data)
  local file = assert(io.open(wav.folder .. "/" .. name .. ".png", "wb"))
  file:write(encode_png(width, height, data))
  file:close()
end

local cells, rows = {}, {}
for i, layers in ipairs(FRAMES) do cells[i] = paint(layers) end
for y = 0, 63 do
  rows[#rows + 1] = "\0"
  for i = 1, #cells do rows[#rows + 1] = table.concat(cells[i], "", y * 64 + 1, y * 64 + 64) end
end
save("figures", 64 * #cells, 64, table.concat(rows))

-- Saves a picture. f(x, y) returns red, green, blue and alpha, 0 … 1; each pixel is the average of four samples.
local function save_picture(name, width, height, f)
  local out = {}
  for y = 0, height - 1 do
    out[#out + 1] = "\0"
    for x = 0, width - 1 do
      local r, g, b, a = 0, 0, 0, 0
      for k = 0, 3 do
        local sr, sg, sb, sa = f(x + 0.25 + k % 2 * 0.5, y + 0.25 + floor(k / 2) * 0.5)
        r, g, b, a = r + sr * sa, g + sg * sa, b + sb * sa, a + sa
      end
      local function to_byte(v) return floor(min(1, v / max(1e-6, a)) * 255 + 0.5) end
      out[#out + 1] = string.char(to_byte(r), to_byte(g), to_byte(b), floor(a / 4 * 255 + 0.5))
    end
  end
  save(name, width, height, table.concat(out))
end

-- The ground, drawn over the background colour: sand ripples, darker edges and, in each cell of 40 × 40 pixels, at most
-- one speck or tuft of grass.
local specks = {}
for i = 0, 32 * 18 - 1 do
  specks[i] = { (noise() + 1) / 2, (noise() + 1) / 2, 1 + 3 * (noise() + 1) / 2, (noise() + 1) / 2 }
end
save_picture("ground", 1280, 720, function(x, y)
  local wave = sin(y * 0.045 + 2.2 * sin(x * 0.004) + 1.3 * sin(x * 0.011 + 1)) -- height of the sand ripples
  local alpha = wave > 0.93 and 0.05 or 0
  local speck = specks[floor(y / 40) * 32 + floor(x / 40)]
  local dx, dy = x % 40 - 8 - speck[1] * 24, y % 40 - 12 - speck[2] * 16
  if speck[4] < 0.3 and dx * dx + dy * dy < speck[3] * speck[3] then return 0.35, 0.15, 0.05, 0.22 end
  if speck[4] > 0.3 and speck[4] < 0.42 and dx * dx + dy * dy < 8 then return 1, 1, 0.9, 0.4 end
  if speck[4] > 0.92 and dy < 0 and dy > -12 and abs(abs(dx) + dy * 0.5 * floor(abs(dx) / 3)) < 1.2 then
    return 0.35, 0.4, 0.15, 0.5 -- colour of tufts of grass
  end
  local edge = min(min(x, 1280 - x), min(y, 720 - y))
  return 0.3, 0.12, 0.02, alpha + 0.16 * max(0, 1 - edge / 120) ^ 2
end)

-- The stashes: for each hunter, a round blanket inside a ring of 36 faint marks, on which systems/draw.lua draws gold.
save_picture("stash", 640, 160, function(x, y)
  local hex = ({ "2d6fb7", "c23b34", "3c8d4e", "8a4aa8" })[floor(x / 160) + 1]
  local dx, dy = x % 160 - 80, y - 80
  local distance, angle = math.sqrt(dx * dx + dy * dy), math.atan2(dy, dx)
  local c = parse_colour(hex)
  if distance < 60 then
    local is_stitch = abs(distance - 53) < 1.7 and angle * 24 / pi % 2 < 1.3
    c = is_stitch and parse_colour "fff3d6" or distance < 46
      and mix_colours(c, INK, sin(angle * 8) > 0 and 0.32 or 0.24) or c
    return c[1], c[2], c[3], 1
  elseif distance < 63 then return INK[1], INK[2], INK[3], 1 end
  local part = (angle + pi / 2) / pi * 18
  local offset = (part - floor(part + 0.5)) * pi / 18 * 70
  return INK[1], INK[2], INK[3], offset * offset + (distance - 70) ^ 2 < 9 and 0.3 or 0
end)

-- Poster with a drop shadow.
save_picture("poster", 480, 660, function(x, y)
  if x > 460 or y > 640 then return 0.2, 0.1, 0.05, x > 10 and y > 10 and 0.2 or 0 end
  local ragged = 2 + 2 * sin(y * 0.11) * sin(y * 0.037) + 1.5 * sin(x * 0.09) * sin(x * 0.023)
  local edge = min(min(x, 460 - x), min(y, 640 - y))
  local portrait = max(abs(x - 230) - 110, abs(y - 188) - 80)
  if edge < ragged then return 0, 0, 0, 0 end
  if (abs(x - 230) - 206) ^ 2 + (y - 24) ^ 2 < 22 then return INK[1], INK[2], INK[3], 1 end
  local age = 0.55 * max(0, 1 - edge / 50) ^ 2 + 0.04 * sin(x * 0.05 + 3 * sin(y * 0.02))
  local c = mix_colours(parse_colour "f4e4bc", parse_colour "c9a468", age)
  if portrait < 0 then c = mix_colours(c, parse_colour "b8935a", 0.6) end
  if abs(edge - 12) < 1 or abs(portrait) < 1.2 then c = mix_colours(c, INK, 0.4) end
  return c[1], c[2], c[3], 1
end)
