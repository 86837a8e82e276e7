-- Generates every sound of the example. `luajit generate.lua [FOLDER]` writes the sounds to FOLDER (default: the folder
-- of this file). Every run writes the same bytes. Each layer is two bars at 96 beats a minute: five seconds.
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../../build/wav.lua")
local BEAT, LONG = 0.625, 5
local sin, exp, pi = math.sin, math.exp, math.pi

local function write(name, seconds, loud, f) wav.write_samples(name, wav.make(seconds, f), loud, nil, 32000) end
local noise = wav.noise_source(1)

local function note(step) -- returns the frequency of the note `step` semitones above A3
  return 220 * 2 ^ (step / 12)
end

-- Returns a function of time that plays one note per step; false is a rest. sound(hz, since) returns a sample of a
-- note, `since` seconds after its start. Notes that ring past the end wrap around to the start, so that the loop is
-- seamless.
local function create_voice(steps, step_s, ring_s, sound)
  return function(t)
    local sum, first = 0, math.floor(t / step_s)
    for back = 0, math.ceil(ring_s / step_s) do
      local at = (first - back) % #steps
      local since = t - (first - back) * step_s
      if steps[at + 1] then sum = sum + sound(note(steps[at + 1]), since) end
    end
    return sum
  end
end

local CHORDS = { { -12, 0, 3, 7 }, { -16, -4, 0, 3 } } -- the chords A minor and F, in semitones above A3
write("pad", LONG, 0.5, function(t)
  local sum, share = 0, t / LONG * 2
  for k, chord in ipairs(CHORDS) do
    local near = math.max(0, math.cos(pi * (share - k + 0.5)))
    for i, step in ipairs(chord) do
      local hz = math.floor(note(step) * LONG + 0.5) / LONG -- rounded to whole periods per loop
      sum = sum + near ^ 0.5 * (sin(2 * pi * hz * t) + 0.35 * sin(4 * pi * hz * t + i) + 0.15 * sin(6 * pi * hz * t))
    end
  end
  return sum
end)

write("pluck", LONG, 0.38, create_voice({ 12, 19, 15, 24, 22, 19, 15, 19, 8, 15, 12, 20, 19, 15, 12, 15 }, BEAT / 2, 1,
  function(hz, since)
    return (sin(2 * pi * hz * since) + 0.4 * sin(4 * pi * hz * since) * exp(-since * 6)) * exp(-since * 5)
      * math.min(1, since * 400)
  end))

local kick = create_voice({ 0, false, false, 0, 0, false, false, false }, BEAT / 2, 0.3, function(_, since)
  return sin(2 * pi * (48 * since + 5 * (1 - exp(-since * 30)))) * exp(-since * 12)
end)
local hat = create_voice({ 0, 0, 0, 0 }, BEAT / 2, 0.1, function(_, since) return noise() * exp(-since * 60) end)
local snare = create_voice({ false, false, 0, false }, BEAT / 2, 0.2, function(_, since)
  return noise() * exp(-since * 22) + sin(2 * pi * 180 * since) * exp(-since * 25)
end)
write("drums", LONG, 0.6, function(t) return kick(t) + 0.22 * hat(t) + 0.5 * snare(t) end)

local bass = create_voice({ -24, -24, -12, -24, -23, -24, -12, -18, -28, -28, -16, -28, -27, -28, -16, -22 }, BEAT / 2,
  0.4,
  function(hz, since)
    local sum = 0
    for k = 1, 6 do sum = sum + sin(2 * pi * hz * k * since) / k * exp(-since * k * 1.5) end
    return sum * exp(-since * 4) * math.min(1, since * 300)
  end)
write("danger", LONG, 0.55, bass)

write("star", 1.4, 0.5, function(t)
  local sum = 0
  for i, step in ipairs { 12, 19, 24, 27, 31 } do
    local since = t - (i - 1) * BEAT / 8
    if since > 0 then sum = sum + sin(2 * pi * note(step) * since) * exp(-since * 5) * math.min(1, since * 300) end
  end
  return sum
end)
