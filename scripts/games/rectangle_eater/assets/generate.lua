-- Generates every sound of the game. `luajit generate.lua [FOLDER]` writes the sounds to FOLDER (default: the folder of
-- this file). Every run writes the same bytes. Plucked strings use the Karplus-Strong algorithm; all other sounds
-- consist of oscillators and noise. music.wav is a looping boogie.
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local RATE = wav.RATE
local sin, exp, pi, floor, min = math.sin, math.exp, math.pi, math.floor, math.min
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

local create_buffer, noise, get_frequency = wav.make, wav.noise_source(11), wav.hz

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

-- Returns the sound of a struck wooden bar. `note`: MIDI number.
local function create_bar(note, seconds)
  return create_buffer(seconds, function(t)
    return sin(TAU * get_frequency(note) * t) * exp(-t * 9)
      + 0.5 * sin(TAU * get_frequency(note) * 3.93 * t) * exp(-t * 26)
      + 0.25 * noise() * exp(-t * 260)
  end)
end

for i, note in ipairs { 72, 74, 76 } do write_sound("bite_" .. i, create_bar(note, 0.5), 0.7) end
local low = 0
write_sound("bitten", create_buffer(0.5, function(t)
  low = low + (noise() - low) * (0.08 + 0.5 * exp(-t * 20))
  return low * exp(-t * 9) + sin(TAU * (70 + 160 * exp(-t * 22)) * t) * exp(-t * 8)
end), 0.9)
write_sound("pop", create_buffer(0.12, function(t) return sin(TAU * (300 + 2600 * t) * t) * exp(-t * 34) end), 0.4)
write_sound("ui_focus", create_bar(84, 0.15), 0.3)
write_sound("ui_press", create_bar(79, 0.3), 0.5)

local function write_phrase(name, step, notes)
  local out = create_buffer(#notes * step + 1, function() return 0 end)
  for i, note in ipairs(notes) do
    mix(out, (i - 1) * step, create_bar(note, 0.9), 1)
    mix(out, (i - 1) * step, create_pluck(note - 12, 0.9, 0.4), 0.7)
  end
  write_sound(name, out, 0.8)
end
write_phrase("course", 0.09, { 60, 64, 67, 70, 72 })
write_phrase("full", 0.11, { 60, 64, 67, 72, 70, 72, 76, 79, 84 })
write_phrase("starved", 0.22, { 67, 66, 65, 63, 60 })
write_phrase("best", 0.09, { 72, 76, 79, 82, 84, 88, 91 })

-- Music of twelve bars at 168 beats a minute: a walking bass, riffs and chords above it, brushes and a drum.
local BEAT = 60 / 168
local ROOTS = { 36, 36, 36, 36, 41, 41, 36, 36, 43, 41, 36, 43 }
local WALK = { 0, 4, 7, 9, 10, 9, 7, 4 }
local RIFFS = { { 24, 0, 27, 28, 0, 31, 0, 0 }, { 0, 33, 0, 31, 28, 0, 24, 0 }, { 34, 0, 31, 0, 28, 27, 24, 0 } }
local music = create_buffer(48 * BEAT, function() return 0 end)
local brush, kick = create_buffer(0.12, function(t) return noise() * exp(-t * 45) end),
  create_buffer(0.2, function(t) return sin(TAU * (50 + 60 * exp(-t * 40)) * t) * exp(-t * 18) end)
for eighth = 0, 95 do
  local seconds = floor(eighth / 2) * BEAT + (eighth % 2 == 1 and BEAT * 0.64 or 0) -- swing: off-beats are late
  local bars, root = floor(eighth / 8), ROOTS[floor(eighth / 8) + 1]
  mix(music, seconds, create_pluck(root + WALK[eighth % 8 + 1], 0.5, 0.7), 1.3)
  local note = RIFFS[bars % 3 + 1][eighth % 8 + 1]
  if note > 0 then mix(music, seconds, create_bar(root + note + 12, 0.6), bars % 4 == 3 and 0.5 or 0.36) end
  if eighth % 8 == 3 or eighth % 8 == 6 then
    for _, third in ipairs { 16, 22, 26 } do mix(music, seconds, create_pluck(root + third + 12, 0.35, 0.3), 0.28) end
  end
  mix(music, seconds, brush, eighth % 4 == 2 and 0.3 or 0.12)
  if eighth % 4 == 0 then mix(music, seconds, kick, 0.9) end
end
write_sound("music", music, 0.75, true)
