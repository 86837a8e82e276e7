-- Generates every sound of the game. `luajit generate.lua [FOLDER]` writes the sounds to FOLDER (default: the folder of
-- this file). Every run writes the same bytes. music.wav has loop points: two bars of drums and bass as an intro, then
-- the part that repeats. engine.wav is a loop; its oscillators complete whole periods.
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local sin, exp, pi, floor, min, max = math.sin, math.exp, math.pi, math.floor, math.min, math.max
local TAU = 2 * pi
local write_sound, get_frequency, saw, noise = wav.write, wav.hz, wav.saw, wav.noise_source(7)

local low = 0

-- An engine: three sawtooth oscillators (two detuned, one an octave higher) through a low-pass filter, and a sine of
-- 240 Hz.
write_sound("engine", 1, 0.5, function(t)
  local buzz = saw(80 * t) + 0.7 * saw(82 * t) + 0.5 * saw(160 * t)
  low = low + (buzz - low) * (0.10 + 0.05 * sin(TAU * 8 * t))
  return low + 0.25 * sin(TAU * 240 * t)
end, 0)
for i, top in ipairs { 900, 1000, 820 } do
  write_sound("turn_" .. i, 0.12, 0.5, function(t)
    return (sin(TAU * top * (1 + 0.6 * exp(-t * 70)) * t) + 0.4 * saw(top / 2 * t)) * exp(-t * 38)
  end)
end
write_sound("count", 0.35, 0.6, function(t)
  return (sin(TAU * 440 * t) + 0.3 * saw(440 * t) + 0.2 * saw(221 * t)) * exp(-t * 10)
end)
-- A crash: a crack, glass whose pitch falls in steps, and a rumble that fades.
write_sound("crash", 1.5, 0.95, function(t)
  low = low + (noise() - low) * (0.04 + 0.7 * exp(-t * 9))
  local step = floor(t * 26)
  local glass = sin(TAU * (2400 - step * 61 + step * step % 7 * 90) * t) * exp(-(t * 26 % 1) * 3) * exp(-t * 4)
  return low * exp(-t * 4) * 1.7 + glass * 0.35 + sin(TAU * (40 + 190 * exp(-t * 10)) * t) * exp(-t * 3.2)
end)
write_sound("breach", 0.6, 0.85, function(t)
  low = low + (noise() - low) * (0.1 + 0.6 * exp(-t * 14))
  return low * exp(-t * 9) * 1.3 + 0.5 * saw((140 + 700 * exp(-t * 9)) * t) * exp(-t * 9)
end)
write_sound("take", 0.5, 0.6, function(t)
  local note = get_frequency(74 + ({ [0] = 0, 7, 12, 19 })[min(3, floor(t * 22))])
  return (sin(TAU * note * t) + 0.3 * sin(TAU * note * 2 * t)) * exp(-t * 7)
end)
write_sound("purge", 0.8, 0.7, function(t)
  local f = 900 * exp(-t * 3) + 60
  return (saw(f * t) + saw((f + 5) * t)) * exp(-t * 5) * (0.5 + 0.5 * sin(TAU * 30 * t))
end)

-- Writes a sequence of MIDI notes, one every `step` seconds, with three echoes.
local function write_melody(name, step, notes, peak)
  write_sound(name, #notes * step + 1, peak or 0.8, function(t)
    local sum = 0
    for echo = 0, 3 do
      for i, note in ipairs(notes) do
        local elapsed = t - (i - 1) * step - echo * 0.18
        if elapsed > 0 then
          local f = get_frequency(note)
          sum = sum + (saw(f * elapsed) + saw(f * 1.007 * elapsed) + saw(get_frequency(note - 12) * elapsed))
            * exp(-elapsed * 6) * min(1, elapsed * 300) * 0.42 ^ echo
        end
      end
    end
    return sum
  end)
end
write_melody("level", 0.09, { 62, 69, 74, 77, 81 })
write_melody("lose", 0.16, { 65, 62, 58, 57 })
write_melody("over", 0.24, { 62, 60, 58, 57, 50 })
write_melody("win", 0.11, { 62, 65, 69, 74, 72, 77, 81, 86 })
write_melody("ui_press", 0.05, { 74, 81 }, 0.6)
write_sound("ui_focus", 0.08, 0.35, function(t) return (sin(TAU * 880 * t) + 0.3 * saw(880 * t)) * exp(-t * 60) end)

-- Music in D minor at 124 beats a minute: a bass in sixteenths, a square-wave lead with two echoes, brass that swells
-- over two bars, and drums.
local BEAT = 60 / 124
local CHORDS = { { 38, 62, 65, 69 }, { 34, 62, 65, 70 }, { 41, 60, 65, 69 }, { 36, 60, 64, 67 } }
local RUN = { 0, 0, 12, 0, 0, 12, 0, 7, 0, 0, 12, 0, 10, 7, 12, 10 }
local RIFF = { 74, nil, nil, 77, nil, 76, nil, nil, 72, nil, nil, 69, nil, 70, 72, nil,
  74, nil, nil, 81, nil, 79, nil, nil, 77, nil, 76, nil, 72, nil, 69, nil }
local bass, brass, hiss = 0, 0, 0
local function compute_square(phase) return phase % 1 < 0.42 and 1 or -1 end
write_sound("music", 40 * BEAT, 0.8, function(t)
  local beat = t / BEAT
  local bar, progress = floor(beat / 4) - 2, beat % 1
  local kick = sin(TAU * (46 + 120 * exp(-progress * BEAT * 48)) * progress * BEAT) * exp(-progress * BEAT * 10)
  local ducking = 0.3 + 0.7 * min(1, progress * 2)
  local previous_hiss = hiss
  hiss = noise()
  local sixteenth_time = (beat * 4 % 1) * BEAT / 4
  local sum = kick * 1.25 + (hiss - previous_hiss) * exp(-sixteenth_time * 80) * (floor(beat * 4) % 4 == 2 and 0.2
    or 0.06)
  local clap = floor(beat) % 2 == 1 and exp(-progress * BEAT * 14) or 0
  sum = sum + (hiss * 0.28 + 0.2 * sin(TAU * 190 * progress * BEAT)) * clap
  local chord = CHORDS[floor(max(0, bar) / 2) % 4 + 1]
  local sixteenth = floor(beat * 4)
  local f = get_frequency(chord[1] + RUN[sixteenth % 16 + 1])
  local gate = exp(-sixteenth_time * 9) * min(1, sixteenth_time * 600)
  bass = bass + ((saw(f * t) + saw(f * 1.006 * t)) * gate - bass) * (0.07 + 0.2 * exp(-sixteenth_time * 14))
  sum = sum + bass * 0.75 * ducking
  if bar < 0 then return sum end
  local swell = (beat % 8) / 8
  local horns = 0
  for i = 2, 4 do
    local horn = get_frequency(chord[i] - 12)
    horns = horns + saw(horn * t) + saw(horn * 1.008 * t) + saw(horn * 1.994 * t) * 0.5
  end
  brass = brass + (horns - brass) * (0.02 + 0.16 * swell * swell)
  sum = sum + brass * 0.16 * ducking
  for echo = 0, 2 do
    local echo_beat = beat - 8 - echo * 0.75
    local note = echo_beat >= 0 and RIFF[floor(echo_beat * 4) % 32 + 1]
    local elapsed = (echo_beat * 4 % 1) * BEAT / 4
    if note then
      sum = sum + compute_square(get_frequency(note) * t) * exp(-elapsed * 13) * min(1,
        elapsed * 500) * 0.26 * 0.45 ^ echo
    end
  end
  return sum
end, 8 * BEAT)
