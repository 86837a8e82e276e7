-- Sound effects and music from oscillators and noise. A sound is a table of samples at any loudness. M.effect and
-- M.song scale a sound and return it encoded as a WAV file.
local sin, exp, abs, max, min, floor, pi = math.sin, math.exp, math.abs, math.max, math.min, math.floor, math.pi
local RATE = 22050

local M = { effects = {}, music = {} }

-- --- functions that create and mix sounds

local function make(seconds, f)
  local out = {}
  for i = 1, floor(seconds * RATE) do out[i] = f((i - 1) / RATE) end
  return out
end

local function noise_source(seed)
  local state = seed
  return function()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
  end
end

-- Returns the value of an envelope at time `t`: it rises from 0 to 1 in `attack` seconds, then decays with the time
-- constant `decay`, in seconds.
local function strike(t, attack, decay)
  if t < 0 then return 0 elseif t < attack then return t / attack end
  return exp((attack - t) / decay)
end

local function square(phase) return phase % 1 < 0.5 and 0.6 or -0.6 end
local function saw(phase) return phase % 1 * 1.4 - 0.7 end
local function triangle(phase) return abs(phase % 1 * 4 - 2) - 1 end
local function sine(phase) return sin(2 * pi * phase) end

-- Returns an oscillator's sound. frequency(t), in Hz, and shape(t), the loudness, are functions of the time in seconds.
local function render_tone(seconds, wave, frequency, shape)
  local phase = 0
  return make(seconds, function(t)
    phase = phase + frequency(t) / RATE
    return wave(phase) * shape(t)
  end)
end

-- Returns noise through a low-pass filter or, with `high`, a high-pass filter. cutoff(t), in Hz, and shape(t), the
-- loudness, are functions of the time in seconds.
local function render_hiss(seconds, seed, cutoff, shape, high)
  local next_value, low = noise_source(seed), 0
  return make(seconds, function(t)
    local white = next_value()
    low = low + (white - low) * min(1, 2 * pi * cutoff(t) / RATE)
    return (high and white - low or low) * shape(t)
  end)
end

local function mix(layers)
  local out, longest = {}, 0
  for _, layer in ipairs(layers) do longest = max(longest, #layer[1] + floor((layer[3] or 0) * RATE)) end
  for i = 1, longest do out[i] = 0 end
  for _, layer in ipairs(layers) do
    local offset = floor((layer[3] or 0) * RATE)
    for i = 1, #layer[1] do out[i + offset] = out[i + offset] + layer[1][i] * (layer[2] or 1) end
  end
  return out
end

-- Scales `buffer` in place to a peak of `peak` and fades both ends.
local function finish(buffer, peak)
  local loudest = 1e-9
  for i = 1, #buffer do loudest = max(loudest, abs(buffer[i])) end
  for i = 1, #buffer do
    buffer[i] = buffer[i] * peak / loudest * min(1, (i - 1) / 40) * min(1, (#buffer - i) / 200)
  end
  return buffer
end

local function constant(v) return function() return v end end
local function glide(a, b, time) return function(t) return b + (a - b) * exp(-t / time) end end
local function fall(attack, decay) return function(t) return strike(t, attack, decay) end end

local function pitch(note) return 440 * 2 ^ ((note - 69) / 12) end
-- Returns the mix of notes { MIDI number, start in seconds, gain }.
local function render_chime(notes, wave, decay)
  local layers = {}
  for i, n in ipairs(notes) do
    layers[i] = { render_tone(decay * 5, wave or triangle, constant(pitch(n[1])), fall(0.004, decay)), n[3] or 1, n[2] }
  end
  return mix(layers)
end

-- --- the effects: each function returns the sound of the file with its name

local effects = M.effects

function effects.swing() return render_hiss(0.16, 5, function(t) return 900 + 5200 * sin(pi * min(1, t / 0.16)) end,
  function(t) return sin(pi * min(1, t / 0.16)) ^ 2 end, true) end
function effects.hit()
  return mix { { render_hiss(0.14, 11, glide(6000, 500, 0.03), fall(0.001, 0.035)), 1.2 },
    { render_tone(0.14, square, glide(320, 90, 0.03), fall(0.001, 0.04)), 0.6 } }
end
function effects.hurt()
  return mix { { render_tone(0.34, saw, glide(520, 110, 0.09), fall(0.002, 0.11)), 0.8 },
    { render_hiss(0.2, 17, constant(1800), fall(0.001, 0.06)), 0.9 } }
end
function effects.die()
  return mix { { render_tone(0.4, square, function(t) return 420 * exp(-t * 5) + 40 * sin(t * 160) end,
    fall(0.002, 0.12)),
    0.6 },
    { render_hiss(0.4, 19, glide(5000, 300, 0.12), fall(0.002, 0.12)), 1 } }
end
function effects.pot()
  local layers = { { render_hiss(0.25, 23, glide(7000, 1500, 0.05), fall(0.001, 0.05), true), 0.8 } }
  for i = 0, 5 do
    layers[#layers + 1] = { render_tone(0.12, triangle, constant(900 + i * 337 % 1400), fall(0.001, 0.03)), 0.5,
      0.01 + i * 0.023 }
  end
  return mix(layers)
end
function effects.clang()
  local layers = {}
  for i, f in ipairs { 523, 1187, 1731, 2503 } do
    layers[i] = { render_tone(0.3, sine, constant(f), fall(0.001, 0.12 / i)), 1 / i }
  end
  return mix(layers)
end
function effects.fireball()
  return mix { { render_hiss(0.45, 29, glide(400, 3800, 0.15), function(t) return strike(t, 0.05, 0.13) end), 1.3 },
    { render_tone(0.4, saw, glide(240, 80, 0.12), fall(0.01, 0.11)), 0.35 } }
end
function effects.kindle()
  return mix { { render_hiss(1.1, 31, glide(500, 2600, 0.3), function(t) return strike(t, 0.12, 0.3) end), 1.2 },
    { render_chime({ { 64, 0 }, { 71, 0.08 }, { 76, 0.16 } }, sine, 0.22), 0.5, 0.05 } }
end
function effects.ghost() return render_chime({ { 76, 0 }, { 80, 0.07 }, { 83, 0.14 }, { 88, 0.21 }, { 95, 0.28, 0.6 } },
  sine, 0.22) end
function effects.ghost_end() return render_chime({ { 83, 0 }, { 80, 0.08 }, { 76, 0.16 } }, sine, 0.16) end
function effects.heart() return render_chime({ { 72, 0 }, { 79, 0.07 } }, triangle, 0.1) end
function effects.chest()
  return render_chime({ { 60, 0 }, { 64, 0.11 }, { 67, 0.22 }, { 72, 0.33, 1.2 }, { 76, 0.33, 0.8 } }, square, 0.2)
end
function effects.start() return render_chime({ { 57, 0 }, { 64, 0.09 }, { 69, 0.18, 1.2 } }, triangle, 0.25) end
function effects.blip() return render_tone(0.06, square, glide(600, 900, 0.02), fall(0.002, 0.03)) end
function effects.game_over() return render_chime({ { 64, 0 }, { 62, 0.2 }, { 59, 0.4 }, { 52, 0.66, 1.3 } }, triangle,
  0.35) end
function effects.door() return mix { { render_hiss(0.3, 37, glide(900, 200, 0.1), fall(0.01, 0.09)), 1.4 },
  { render_tone(0.25, sine, glide(140, 60, 0.05), fall(0.002, 0.08)), 0.9 } } end
function effects.gate()
  local layers = { { render_tone(0.7, sine, glide(90, 45, 0.1), fall(0.002, 0.2)), 1, 0.42 } }
  for i = 0, 6 do
    layers[#layers + 1] = { render_hiss(0.1, 41 + i, constant(1500), fall(0.001, 0.03)), 0.7, i * 0.06 }
  end
  layers[#layers + 1] = { effects.clang(), 0.4, 0.42 }
  return mix(layers)
end
function effects.bolts()
  local layers = {}
  for i = 0, 4 do
    local tone = render_tone(0.3, triangle, glide(1500 + i * 130, 220, 0.09), fall(0.002, 0.09))
    layers[#layers + 1] = { tone, 0.6, i * 0.035 }
  end
  return mix(layers)
end
function effects.rush() return render_hiss(0.8, 53, function(t) return 300 + 2600 * min(1, t / 0.4) end,
  function(t) return min(1, t / 0.1) * exp(-max(0, t - 0.3) / 0.15) end) end
function effects.dazed()
  return mix { { effects.hit(), 1 }, { render_tone(0.9, sine, glide(110, 40, 0.12), fall(0.002, 0.25)), 1.4 },
    { render_chime({ { 90, 0.1 }, { 87, 0.22 }, { 90, 0.34 }, { 87, 0.46 } }, sine, 0.1), 0.25 } }
end
function effects.roar()
  local growl = render_tone(1.6, saw, function(t) return 74 + 16 * sin(t * 31) - 18 * t end,
    function(t) return min(1, t / 0.2) * exp(-max(0, t - 0.7) / 0.3) end)
  return mix { { growl, 0.7 }, { render_hiss(1.6, 59, function(t) return 700 - 250 * t end, function(t)
    return min(1, t / 0.25) * exp(-max(0, t - 0.7) / 0.3) * (0.7 + 0.3 * sin(t * 67)) end), 2.4 } }
end

-- --- music

-- Returns a loop of `beats` beats. A note is { MIDI number, beat, length in beats, gain }. Notes that ring past the end
-- wrap around, so that the loop is seamless.
local function render_song(tempo, beats, voices)
  local n, out = floor(beats * 60 / tempo * RATE), {}
  for i = 1, n do out[i] = 0 end
  for _, voice in ipairs(voices) do
    for _, note in ipairs(voice.notes) do
      local length = note[3] * 60 / tempo
      local sound = render_tone(length + voice.decay * 3, voice.wave, constant(pitch(note[1])), function(t)
        return (t < voice.attack and t / voice.attack or 1) * (t < length and exp(-t * (voice.fades or 0.6))
          or exp(-length * (voice.fades or 0.6)) * exp((length - t) / voice.decay))
      end)
      local offset, gain = floor(note[2] * 60 / tempo * RATE), voice.gain * (note[4] or 1)
      for i = 1, #sound do
        local k = (i - 1 + offset) % n + 1
        out[k] = out[k] + sound[i] * gain
      end
    end
  end
  local delay = floor(60 / tempo * 0.75 * RATE) -- delay of the first of two echoes, in samples
  local wet = {}
  for i = 1, n do wet[i] = out[i] + 0.3 * out[(i - 1 - delay) % n + 1] + 0.14 * out[(i - 1 - 2 * delay) % n + 1] end
  return wet
end

-- Parses a line of notes such as "69 . 72 _": a number starts a note, "_" extends the note, "." is a rest. Each of
-- these symbols takes `step` beats; the line starts at beat `from`.
local function parse_line(text, step, from)
  local notes, at = {}, from or 0
  for word in text:gmatch "%S+" do
    if word == "_" then
      notes[#notes][3] = notes[#notes][3] + step
    elseif word ~= "." then
      notes[#notes + 1] = { tonumber(word), at, step }
    end
    at = at + step
  end
  return notes
end

function M.music.yard() -- evening music: slow, in A minor
  return render_song(76, 32, {
    { wave = triangle, attack = 0.02, decay = 0.3, gain = 0.30, notes = parse_line(
      "76 _ 74 72 71 _ 69 _ 72 _ 71 69 64 _ _ _ 65 _ 69 72 71 _ 67 _ 69 _ 68 64 69 _ _ _ "
      .. "76 _ 74 72 77 _ 76 _ 74 _ 72 74 76 _ _ _ 81 _ 79 77 76 _ 72 _ 74 _ 71 68 69 _ _ _", 0.5) },
    { wave = sine, attack = 0.06, decay = 0.5, gain = 0.26, fades = 0.3, notes = parse_line(
      "57 64 69 64 52 59 64 59 53 60 65 60 52 59 64 59 53 60 65 60 55 62 67 62 52 59 64 59 57 64 69 64 "
      .. "57 64 69 64 53 60 65 60 55 62 67 62 57 64 69 64 53 60 65 60 57 64 69 64 52 59 64 56 57 64 69 64", 0.5) },
    { wave = sine, attack = 0.1, decay = 0.5, gain = 0.32, fades = 0.2,
      notes = parse_line("45 40 41 40 41 43 40 45 45 41 43 45 41 45 40 45", 2) },
  })
end

function M.music.crypt() -- low music with few notes
  return render_song(66, 24, {
    { wave = sine, attack = 0.5, decay = 0.9, gain = 0.30, fades = 0.1, notes = parse_line("38 _ 39 _ 36 _ 38 _", 3) },
    { wave = triangle, attack = 0.4, decay = 0.8, gain = 0.13, fades = 0.1,
      notes = parse_line("57 58 55 56 53 55 57 50",
      3) },
    { wave = sine, attack = 0.005, decay = 0.5, gain = 0.20, fades = 1.6, notes = parse_line(
      "74 . . 77 . . 76 . . . 69 . . . . . 75 . 74 . . . 70 . . . . 67 . . 69 . . . 65 . 62 . . . . . . . . . . .",
        0.5) },
    { wave = triangle, attack = 0.005, decay = 0.1, gain = 0.10, fades = 4,
      notes = parse_line("86 . . . . . . 89 . . . . . . . 81 . . . . . . . .", 1) },
  })
end

function M.music.threat() -- a layer over the crypt's music: a heartbeat and a creeping line
  local heart, creep = {}, {}
  for beat = 0, 7 do
    heart[#heart + 1] = { 26, beat, 0.15 }
    heart[#heart + 1] = { 25, beat + 0.3, 0.12, 0.7 }
    creep[#creep + 1] = { beat % 4 == 3 and 39 or 38, beat, 0.4 }
    creep[#creep + 1] = { beat % 4 == 3 and 45 or 44, beat + 0.5, 0.4, 0.8 }
  end
  return render_song(66, 8, {
    { wave = sine, attack = 0.005, decay = 0.06, gain = 0.9, fades = 7, notes = heart },
    { wave = saw, attack = 0.02, decay = 0.08, gain = 0.09, fades = 3, notes = creep },
    { wave = triangle, attack = 0.8, decay = 0.6, gain = 0.1, fades = 0.1, notes = parse_line("62 63", 4) },
  })
end

function M.music.boss() -- driving music in D minor
  local bass, drum = {}, {}
  for bar, root in ipairs { 38, 38, 41, 36, 38, 38, 34, 33 } do
    for eighth = 0, 7 do
      bass[#bass + 1] = { root + (eighth % 4 == 3 and 12 or eighth % 8 == 6 and 7 or 0),
        (bar - 1) * 4 + eighth * 0.5, 0.4,
        eighth % 2 == 0 and 1 or 0.7 }
    end
    for beat = 0, 3 do drum[#drum + 1] = { beat % 2 == 0 and 24 or 31, (bar - 1) * 4 + beat, 0.1 } end
  end
  return render_song(148, 32, {
    { wave = saw, attack = 0.005, decay = 0.05, gain = 0.26, fades = 3, notes = bass },
    { wave = triangle, attack = 0.002, decay = 0.06, gain = 0.6, fades = 9, notes = drum },
    { wave = square, attack = 0.01, decay = 0.12, gain = 0.13, fades = 1, notes = parse_line(
      "74 _ . 74 73 74 77 _ 76 _ . 74 73 _ 70 _ 69 _ . 69 72 _ 77 _ 76 _ 79 _ 72 _ _ _ "
      .. "74 _ . 74 73 74 81 _ 79 _ . 77 76 _ 73 _ 70 _ 74 _ 77 _ 82 _ 81 _ 80 _ 81 _ _ _", 0.5) },
    { wave = sine, attack = 0.2, decay = 0.3, gain = 0.16, fades = 0.1,
      notes = parse_line("62 62 65 60 62 62 58 57", 4) },
  })
end

-- --- WAV output

local function little(value, bytes)
  local out = {}
  for i = 1, bytes do
    out[i] = string.char(value % 256)
    value = floor(value / 256)
  end
  return table.concat(out)
end

local function encode_wav(buffer)
  local data = {}
  for i = 1, #buffer do data[i] = little(floor(max(-1, min(1, buffer[i])) * 32767 + 0.5) % 65536, 2) end
  local body = table.concat(data)
  return "RIFF" .. little(36 + #body, 4) .. "WAVEfmt " .. little(16, 4) .. little(1, 2) .. little(1, 2)
    .. little(RATE, 4)
    .. little(RATE * 2, 4) .. little(2, 2) .. little(16, 2) .. "data" .. little(#body, 4) .. body
end

function M.effect(name) return encode_wav(finish(effects[name](), 0.8)) end

function M.song(name)
  local buffer, loudest = M.music[name](), 0
  for i = 1, #buffer do loudest = max(loudest, abs(buffer[i])) end
  for i = 1, #buffer do buffer[i] = buffer[i] / loudest * 0.85 end
  return encode_wav(buffer)
end

return M
