-- Generates every sound of the game. `luajit generate.lua [FOLDER]` writes the sounds to FOLDER (default: the folder of
-- this file). Every run writes the same bytes. music.wav has loop points: one bar of drums as an intro, then the part
-- that repeats.
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local sin, exp, pi, floor, min, max = math.sin, math.exp, math.pi, math.floor, math.min, math.max
local TAU = 2 * pi
local write_sound, get_frequency, saw, noise = wav.write, wav.hz, wav.saw, wav.noise_source(7)

-- A tuned glass block: it clicks, and its pitch falls to the note while it rings.
for i, note in ipairs { 60, 62, 64 } do
  write_sound("hit_" .. i, 0.32, 0.85, function(t)
    local f = get_frequency(note) * (1 + 0.5 * exp(-t * 90))
    return sin(TAU * f * t + 2.2 * exp(-t * 40) * sin(TAU * f * 2 * t)) * exp(-t * 14)
      + 0.35 * sin(TAU * f * 4.02 * t) * exp(-t * 34) + 0.5 * noise() * exp(-t * 300)
  end)
end
write_sound("wall", 0.2, 0.6, function(t)
  return sin(TAU * 196 * (1 + exp(-t * 60)) * t) * exp(-t * 26) + 0.3 * noise() * exp(-t * 260)
end)
write_sound("serve", 0.5, 0.5, function(t) return sin(TAU * (300 + 900 * t * t) * t) * sin(pi * min(1, t * 2)) ^ 2 end)

-- A goal: a falling tone, and noise through a closing filter.
local low = 0
write_sound("goal", 1.3, 0.95, function(t)
  low = low + (noise() - low) * (0.02 + 0.5 * exp(-t * 7))
  return low * exp(-t * 4) * 1.4 + sin(TAU * (45 + 130 * exp(-t * 9)) * t) * exp(-t * 3.4)
end)

-- Writes a sequence of MIDI notes, one every `step` seconds, with three echoes.
local function write_melody(name, step, notes)
  write_sound(name, #notes * step + 1, 0.8, function(t)
    local sum = 0
    for echo = 0, 3 do
      for i, note in ipairs(notes) do
        local elapsed = t - (i - 1) * step - echo * 0.19
        if elapsed > 0 then
          local f = get_frequency(note)
          sum = sum + (saw(f * elapsed) + saw(f * 1.006 * elapsed) + 2 * sin(TAU * f * elapsed))
            * exp(-elapsed * 6) * min(1, elapsed * 400) * 0.45 ^ echo
        end
      end
    end
    return sum
  end)
end
write_melody("win", 0.12, { 57, 60, 64, 69, 72, 76, 81 })
write_melody("lose", 0.2, { 64, 60, 57, 53, 52 })
write_melody("best", 0.08, { 76, 81, 84, 88 })
write_melody("ui_press", 0.06, { 81, 88 })
write_sound("ui_focus", 0.08, 0.35, function(t) return sin(TAU * 1320 * t) * exp(-t * 60) end)

-- Music of four chords of two bars each, at 112 beats a minute: bass, a pad, drums, and an arpeggio through a filter
-- that opens and closes.
local BEAT = 60 / 112
local CHORDS = { { 45, 57, 60, 64, 69 }, { 41, 57, 60, 65, 69 }, { 48, 55, 60, 64, 67 }, { 43, 55, 59, 62, 67 } }
local ORDER = { 2, 3, 4, 5, 4, 3, 4, 5, 3, 4, 5, 4, 2, 4, 3, 5 }
local arp, bass, hiss = 0, 0, 0
write_sound("music", 36 * BEAT, 0.8, function(t)
  local beat = t / BEAT
  local bar, progress = floor(beat / 4) - 1, beat % 1
  local chord = CHORDS[floor(max(0, bar) / 2) % 4 + 1]
  local kick = sin(TAU * (48 + 110 * exp(-progress * BEAT * 45)) * progress * BEAT) * exp(-progress * BEAT * 11)
  local ducking = 0.35 + 0.65 * min(1, progress * 2.2) -- ducks bass, arpeggio and pad under the drum
  local hat_time = (beat * 2 % 1) * BEAT / 2
  local previous_hiss = hiss
  hiss = noise()
  local sum = kick * 1.2 + (hiss - previous_hiss) * exp(-hat_time * 70) * (beat % 1 >= 0.5 and 0.22 or 0.08)
  if floor(beat) % 2 == 1 then sum = sum + hiss * exp(-progress * BEAT * 16) * 0.28 end
  if bar >= 0 then
    local f = get_frequency(chord[1] - 12) * (floor(beat * 2) % 4 == 3 and 2 or 1)
    bass = bass + (saw(f * t) + saw(f * 1.004 * t) - bass) * (0.05 + 0.12 * exp(-(beat * 2 % 1) * 4))
    local note, elapsed = chord[ORDER[floor(beat * 4) % 16 + 1]], (beat * 4 % 1) * BEAT / 4
    local cutoff = 0.08 + 0.3 * (0.5 - 0.5 * math.cos(TAU * bar / 8 + TAU * beat / 32))
    local voice =
      (saw(get_frequency(note + 12) * t) + saw(get_frequency(note + 12) * 1.005 * t)) * exp(-elapsed * 11) * min(1,
      elapsed * 500)
    arp = arp + (voice - arp) * cutoff
    local pad = 0
    for i = 2, 5 do pad =
      pad + sin(TAU * get_frequency(chord[i]) * t) + 0.3 * sin(TAU * get_frequency(chord[i]) * 2.003 * t) end
    sum = sum + (bass * 0.55 + arp * 0.75 + pad * 0.09) * ducking
  end
  return sum
end, 4 * BEAT)
