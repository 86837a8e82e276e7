-- Generates every sound of the example. `luajit generate.lua [FOLDER]` writes the sounds to FOLDER (default: the folder
-- of this file). Every run writes the same bytes. night.wav has loop points: an intro of four seconds, then the part
-- that repeats.
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local RATE = wav.RATE
local sin, exp, pi = math.sin, math.exp, math.pi

local function write(name, seconds, f, loop_from)
  wav.write_samples(name, wav.make(seconds, f), 1, loop_from and loop_from * RATE, 22000)
end
local noise = wav.noise_source(1)

-- One second of buzzing wings, with whole periods for a seamless loop.
write("bee", 1, function(t)
  local tremble = 1 + 0.25 * sin(2 * pi * 14 * t)
  local sum = 0
  for k = 1, 7 do sum = sum + sin(2 * pi * 150 * k * t + k) / k end
  return sum * tremble
end)

for i, hz in ipairs { 95, 118, 82 } do
  local low = 0
  write("step_" .. i, 0.16, function(t)
    low = low + (noise() - low) * (0.12 + 0.05 * i)
    return low * exp(-t * 38) * 1.6 + sin(2 * pi * hz * t) * exp(-t * 45)
  end)
end

write("stone", 0.7, function(t)
  return sin(2 * pi * (520 + 300 * exp(-t * 30)) * t) * exp(-t * 9) + sin(2 * pi * 1310 * t) * exp(-t * 16) * 0.4
end)

-- An unintelligible voice: a synthetic vocal tract that glides from vowel to vowel.
local VOWELS = { { 730, 1090 }, { 300, 870 }, { 530, 1840 }, { 640, 1190 }, { 390, 1990 }, { 730, 1090 }, { 300, 870 } }
local phase, throat = 0, { { 0, 0 }, { 0, 0 } }
write("speech", 2.4, function(t)
  local at = t / 2.4 * (#VOWELS - 1)
  local k, share = math.min(#VOWELS - 1, math.floor(at) + 1), at % 1
  phase = (phase + (118 + 22 * sin(t * 5.3) - 12 * t) / RATE) % 1
  local syllable = math.max(0, sin(pi * (at * 2 % 1))) ^ 0.6
  local pulse, out = (phase < 0.1 and 1 or 0) - 0.1 + noise() * 0.03, 0
  for f = 1, 2 do
    local hz = VOWELS[k][f] * (1 - share) + VOWELS[k + 1][f] * share
    local g, state = 2 * sin(pi * hz / RATE), throat[f]
    state[1] = state[1] + g * state[2]
    state[2] = state[2] + g * (pulse - state[1] - 0.12 * state[2])
    out = out + state[2] * (f == 1 and 1 or 0.7)
  end
  return out * syllable * math.min(1, (2.4 - t) * 8)
end)

-- Chords of the night: two in the intro of four seconds, four in the loop of eight seconds. A chord swells and fades
-- within its two seconds, so the loop points are silent.
local CHORDS = { { 220, 261.63, 329.63 }, { 174.61, 220, 261.63 }, { 220, 261.63, 329.63 }, { 196, 246.94, 293.66 },
  { 174.61, 220, 261.63 }, { 164.81, 207.65, 246.94 } }
local PLUCKED = { 1, 2, 1.5, 2, 3, 2, 1.5, 1 }
write("night", 12, function(t)
  local number = math.floor(t / 2) + 1
  local chord, into = CHORDS[number], t % 2
  local swell, sum = sin(pi * into / 2), 0
  for k, hz in ipairs(chord) do
    sum = sum + (sin(2 * pi * hz * t) + 0.4 * sin(2 * pi * hz * 1.003 * t + k)) * swell * 0.5
    sum = sum + sin(2 * pi * hz * 0.5 * t) * swell * 0.35
  end
  if number > 2 then
    local beat = math.floor(into * 4)
    local since, hz = into * 4 % 1 / 4, chord[beat % 3 + 1] * PLUCKED[beat + 1] * 2
    sum = sum + (sin(2 * pi * hz * t) + 0.3 * sin(4 * pi * hz * t)) * exp(-since * 14) * math.min(1, since * 300) * 0.55
  end
  return sum
end, 4)
