-- Generates every sound and picture of the game. `luajit generate.lua [FOLDER]` writes them to FOLDER (default: the
-- folder of this file). The program is plain LuaJIT without libraries. Every run writes the same bytes.
--
-- A sound is a Lua table of samples, -1 … 1. Loops are seamless: oscillators complete whole periods, filters run
-- through the buffer once before the pass that is kept, and echoes wrap around the end.

local sin, cos, exp, log = math.sin, math.cos, math.exp, math.log
local abs, max, min, floor = math.abs, math.max, math.min, math.floor
local pi = math.pi
local tau = 2 * pi

local rate = 44100

-- --- functions to create, filter and mix buffers of samples

local function count_samples(seconds) return floor(seconds * rate + 0.5) end

local function tanh(x)
  local e = exp(2 * max(-10, min(10, x)))
  return (e - 1) / (e + 1)
end

-- Returns a buffer that lasts `seconds`; f(t) returns the sample at `t` seconds.
local function create_buffer(seconds, f)
  local out, n = {}, count_samples(seconds)
  for i = 1, n do out[i] = f((i - 1) / rate) end
  return out
end

-- Returns a function that returns the next sample of white noise, -1 … 1, from a linear congruential generator. The
-- samples are the same on every machine.
local function create_noise_source(seed)
  local state = seed
  return function()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
  end
end

local function create_noise(seconds, seed)
  local next_value = create_noise_source(seed)
  return create_buffer(seconds, function() return next_value() end)
end

-- Returns the value of an envelope at time `t`: it rises from 0 to 1 in `attack` seconds, then decays with the time
-- constant `decay`, in seconds.
local function compute_envelope(t, attack, decay)
  if t < 0 then return 0 end
  if t < attack then return t / attack end
  return exp((attack - t) / decay)
end

-- Returns the frequency of a glide from `start_frequency` to `end_frequency` at time `t`. After 2.3 × `time` seconds,
-- the pitch (the logarithm of the frequency) has covered 90 % of the interval.
local function compute_glide(t, start_frequency, end_frequency,
  time) return end_frequency * exp(log(start_frequency / end_frequency) * exp(-t / time)) end

-- Returns the sound of an oscillator as a list of samples. frequency(t) is the frequency in Hz after `t` seconds.
-- wave(phase) returns the sample at a phase of 0 … 1 turns.
local function oscillate(seconds, frequency, wave)
  local phase = 0
  return create_buffer(seconds, function(t)
    local value = wave(phase)
    phase = (phase + frequency(t) / rate) % 1
    return value
  end)
end

local function compute_sine(phase) return sin(tau * phase) end
-- Returns a soft square wave: the sum of the first four odd harmonics, to avoid audible aliasing.
local function compute_soft_square(phase)
  return sin(tau * phase) + sin(tau * 3 * phase) / 3 + sin(tau * 5 * phase) / 5 + sin(tau * 7 * phase) / 7
end
local function compute_soft_saw(phase)
  local sum = 0
  for k = 1, 9 do sum = sum + sin(tau * k * phase) / k * (1 - (k - 1) / 10) end
  return sum * 0.6
end

-- Returns `input` filtered by a state-variable filter. `cutoff` is a frequency or a function of time; `kind` is "low",
-- "high" or "band". With `loop`, the buffer is filtered twice and the second pass returned, so that the end joins the
-- start without a click.
local function filter(input, kind, cutoff, resonance, loop)
  local out, n = {}, #input
  local get_cutoff = type(cutoff) == "function" and cutoff or function(_) return cutoff end
  local damping = 1 / (resonance or 0.707)
  local low, band = 0, 0
  for pass = loop and 1 or 2, 2 do
    for i = 1, n do
      local g = math.tan(pi * min(0.45, get_cutoff((i - 1) / rate) / rate))
      local high = (input[i] - (damping + g) * band - low) / (1 + g * (damping + g))
      local new_band = band + g * high
      local new_low = low + g * new_band
      band, low = new_band + g * high, new_low + g * new_band
      if pass == 2 then out[i] = kind == "low" and new_low or kind == "high" and high or new_band end
    end
  end
  return out
end

local function apply_envelope(buffer, f)
  local out = {}
  for i = 1, #buffer do out[i] = buffer[i] * f((i - 1) / rate) end
  return out
end

-- Mixes layers { buffer, gain, offset_seconds } into a buffer of `seconds`; samples past its end are dropped.
local function mix(seconds, layers)
  local out = {}
  for i = 1, count_samples(seconds) do out[i] = 0 end
  for _, layer in ipairs(layers) do
    local buffer, gain, offset = layer[1], layer[2] or 1, count_samples(layer[3] or 0)
    for i = 1, min(#buffer, #out - offset) do out[i + offset] = out[i + offset] + buffer[i] * gain end
  end
  return out
end

-- Mixes `buffer` into the loop `out`; samples past the end wrap around to the start.
local function mix_around(out, buffer, gain, offset_seconds)
  local n, offset = #out, count_samples(offset_seconds)
  for i = 1, #buffer do
    local k = (i - 1 + offset) % n + 1
    out[k] = out[k] + buffer[i] * gain
  end
end

local function add_echo(buffer, seconds, feedback, loop)
  local out, n, delay = {}, #buffer, count_samples(seconds)
  for i = 1, n do out[i] = buffer[i] end
  for _ = 1, loop and 2 or 1 do
    for i = 1, n do
      local source_index = i - delay
      if source_index < 1 and loop then source_index = source_index + n end
      if source_index >= 1 then out[i] = buffer[i] + feedback * out[source_index] end
    end
  end
  return out
end

local function saturate(buffer, drive)
  local out, scale = {}, 1 / tanh(drive)
  for i = 1, #buffer do out[i] = tanh(buffer[i] * drive) * scale end
  return out
end

-- Removes the DC offset, then scales the peak to `decibels` decibels (0: full scale, negative: quieter).
local function normalize(buffer, decibels)
  local sum, peak, out = 0, 0, {}
  for i = 1, #buffer do sum = sum + buffer[i] end
  local offset = sum / #buffer
  for i = 1, #buffer do peak = max(peak, abs(buffer[i] - offset)) end
  local gain = exp(decibels / 20 * log(10)) / peak
  for i = 1, #buffer do out[i] = (buffer[i] - offset) * gain end
  return out
end

-- Fades both ends of `buffer` in place, to avoid clicks.
local function fade(buffer, in_seconds, out_seconds)
  local n, fade_in, fade_out = #buffer, count_samples(in_seconds), count_samples(out_seconds)
  for i = 1, fade_in do buffer[i] = buffer[i] * (0.5 - 0.5 * cos(pi * (i - 1) / fade_in)) end
  for i = 1, fade_out do buffer[n + 1 - i] = buffer[n + 1 - i] * (0.5 - 0.5 * cos(pi * (i - 1) / fade_out)) end
  return buffer
end

-- Returns the sound of a struck bell: a few partials that decay at different rates.
local function create_bell(frequency, seconds, decay)
  local partials = { -- frequency, loudness and decay time, relative to the first partial
    { 1, 1, 1 }, { 2.003, 0.45, 0.7 }, { 3.01, 0.22, 0.45 }, { 4.23, 0.12, 0.25 }, { 6.8, 0.05, 0.12 },
  }
  return create_buffer(seconds, function(t)
    local sum = 0
    for _, p in ipairs(partials) do sum = sum + sin(tau * frequency * p[1] * t) * p[2] * exp(-t / (decay * p[3])) end
    return sum * min(1, t / 0.002)
  end)
end

-- --- the sounds: each function returns the buffer of the WAV file with its name

local sounds = {}

-- Returns the sound of an explosion: a crack, a burst of noise through a closing filter, a falling thump, and crackling
-- debris.
local function create_explosion(options)
  local burst = filter(create_noise(options.seconds, options.seed), "low",
    function(t) return compute_glide(t, options.bright, options.dark, options.close) end, 0.9)
  burst = apply_envelope(burst, function(t) return compute_envelope(t, 0.003, options.decay) end)
  local rumble = filter(filter(create_noise(options.seconds, options.seed + 7), "low", options.dark * 1.2, 1.2), "low",
    options.dark * 1.6)
  rumble = apply_envelope(rumble, function(t) return compute_envelope(t, 0.03,
    options.decay * 1.7) * (0.75 + 0.25 * sin(tau * 17 * t)) end)
  local thump = oscillate(options.seconds, function(t) return compute_glide(t, options.thump, options.thump * 0.33,
    0.09) end, compute_sine)
  thump = apply_envelope(thump, function(t) return compute_envelope(t, 0.002, options.decay * 0.75) end)
  local crack = filter(create_noise(0.05, options.seed + 13), "high", 2500)
  crack = apply_envelope(crack, function(t) return compute_envelope(t, 0.0005, 0.008) end)
  local sparks = create_noise_source(options.seed + 21)
  local grain = create_buffer(options.seconds, function(t)
    local chance = 0.0035 * exp(-t / (options.decay * 1.3))
    return abs(sparks()) < chance and sparks() or 0
  end)
  grain = filter(grain, "band", options.bright * 0.8, 3)
  local sum = mix(options.seconds, {
    { normalize(burst, 0), 0.75 }, { normalize(rumble, 0), 0.45 }, { thump, options.weight },
    { normalize(crack, 0), 0.35 }, { normalize(grain, 0), 0.22 },
  })
  return fade(normalize(saturate(sum, 1.8), options.peak or -1.5), 0.001, options.seconds * 0.35)
end

sounds.bang_large = function()
  return create_explosion {
    seconds = 1.7, seed = 11, bright = 2600, dark = 110, close = 0.16, decay = 0.42, thump = 120, weight = 0.9,
  }
end
sounds.bang_medium = function()
  return create_explosion {
    seconds = 1.15, seed = 202, bright = 3600, dark = 210, close = 0.12, decay = 0.27, thump = 170, weight = 0.7,
    peak = -2,
  }
end
sounds.bang_small = function()
  return create_explosion {
    seconds = 0.75, seed = 3003, bright = 5200, dark = 420, close = 0.08, decay = 0.16, thump = 240, weight = 0.5,
    peak = -2.5,
  }
end

-- The ship's explosion: a big blast, a falling whine, and ringing hull plates.
sounds.break_up = function()
  local blast = create_explosion {
    seconds = 2.6, seed = 77, bright = 3000, dark = 90, close = 0.22, decay = 0.6, thump = 95, weight = 1,
  }
  local whine = oscillate(2.6, function(t) return compute_glide(t, 880, 46, 0.5) * (1 + 0.02 * sin(tau * 13 * t)) end,
    compute_soft_saw)
  whine = filter(whine, "low", function(t) return compute_glide(t, 3000, 180, 0.4) end, 1.5)
  whine = apply_envelope(whine, function(t) return compute_envelope(t, 0.01, 0.55) end)
  local layers = { { blast, 1 }, { whine, 0.28 } }
  local plates = { -- start in seconds, pitch in Hz, loudness
    { 0.05, 523, 0.30 }, { 0.16, 847, 0.22 }, { 0.31, 1310, 0.17 }, { 0.44, 698, 0.20 },
    { 0.62, 1893, 0.10 }, { 0.85, 1127, 0.10 }, { 1.15, 2212, 0.05 },
  }
  for _, p in ipairs(plates) do
    local ring = create_buffer(0.9, function(t)
      local f = p[2]
      local body = sin(tau * f * t) + 0.6 * sin(tau * f * 1.483 * t) + 0.4 * sin(tau * f * 2.756 * t)
      return body * compute_envelope(t, 0.001, 0.16)
    end)
    layers[#layers + 1] = { ring, p[3] * 0.6, p[1] }
  end
  return fade(normalize(saturate(mix(2.6, layers), 1.5), -1), 0.001, 0.8)
end

-- A laser: the pitch drops fast, and the overtones decay sooner than the fundamental.
sounds.fire = function()
  local phase, side = 0, 0
  local zap = create_buffer(0.24, function(t)
    local f = compute_glide(t, 2100, 190, 0.055)
    phase, side = (phase + f / rate) % 1, (side + f * 1.5 / rate) % 1
    return sin(tau * phase + 2.6 * exp(-t / 0.05) * sin(tau * side)) * compute_envelope(t, 0.002, 0.07)
  end)
  local tick = apply_envelope(filter(create_noise(0.03, 5), "high", 4000),
    function(t) return compute_envelope(t, 0.0005, 0.005) end)
  local body = oscillate(0.24, function(t) return compute_glide(t, 420, 90, 0.05) end, compute_sine)
  body = apply_envelope(body, function(t) return compute_envelope(t, 0.002, 0.05) end)
  local sum = filter(mix(0.24, { { zap, 0.8 }, { normalize(tick, 0), 0.2 }, { body, 0.5 } }), "low", 7500)
  return fade(normalize(saturate(sum, 1.4), -3), 0.001, 0.05)
end

sounds.saucer_fire = function()
  local function pitch(t) return compute_glide(t, 1150, 240, 0.10) * (1 + 0.09 * sin(tau * 38 * t)) end
  local zap = oscillate(0.32, pitch, compute_soft_square)
  zap = filter(zap, "low", function(t) return compute_glide(t, 4500, 700, 0.12) end, 2)
  zap = apply_envelope(zap, function(t) return compute_envelope(t, 0.003, 0.11) end)
  return fade(normalize(saturate(zap, 1.3), -3), 0.001, 0.06)
end

-- The ship's engine: noise in three bands, the lower two amplitude-modulated. Lasts two seconds and loops seamlessly.
sounds.thrust = function()
  local seconds = 2
  local hiss = filter(filter(create_noise(seconds, 31), "band", 1400, 0.8, true), "low", 2600, 0.7, true)
  local roar = filter(create_noise(seconds, 32), "low", 330, 1.6, true)
  local rumble = filter(filter(create_noise(seconds, 33), "low", 95, 2.5, true), "low", 160, 0.8, true)
  roar = apply_envelope(normalize(roar, 0), function(t) return 0.8 + 0.2 * sin(tau * 11 * t) * sin(tau * 3 * t) end)
  rumble = apply_envelope(normalize(rumble, 0), function(t) return 0.85 + 0.15 * sin(tau * 7 * t) end)
  return normalize(saturate(mix(seconds, { { normalize(hiss, 0), 0.22 }, { roar, 0.7 }, { rumble, 0.6 } }), 1.5), -3)
end

-- Returns a saucer's warble: a tone that swings between two pitches `turns` times per second. The mean pitch is rounded
-- to whole periods per loop, which lasts one second.
local function create_warble(options)
  local seconds = 1
  local function pitch(t)
    local swing = sin(tau * options.turns * t)
    return options.middle * exp(options.depth * tanh(swing * 2) / tanh(2) * log(2))
  end
  local total = 0
  for i = 1, count_samples(seconds) do total = total + pitch((i - 1) / rate) / rate end
  local scale = floor(total + 0.5) / total
  local tone = oscillate(seconds, function(t) return pitch(t) * scale end, compute_soft_square)
  local octave = oscillate(seconds, function(t) return 2 * pitch(t) * scale end, compute_sine)
  local sum = filter(mix(seconds, { { tone, 0.7 }, { octave, 0.3 } }), "low", options.bright, 1.4, true)
  sum = apply_envelope(sum, function(t) return 0.82 + 0.18 * sin(tau * options.turns * 2 * t) end)
  return normalize(saturate(sum, 1.2), -4)
end
sounds.saucer_big = function() return create_warble { turns = 4, middle = 300, depth = 0.34, bright = 1500 } end
sounds.saucer_small = function() return create_warble { turns = 7, middle = 720, depth = 0.28, bright = 3200 } end

-- Returns one beat of the heartbeat, a soft drum. The heartbeat alternates between two beats, a whole tone apart.
local function create_beat(frequency)
  local drum = oscillate(0.34, function(t) return compute_glide(t, frequency * 2.4, frequency, 0.018) end, compute_sine)
  drum = apply_envelope(drum, function(t) return compute_envelope(t, 0.004, 0.085) end)
  local skin = apply_envelope(filter(create_noise(0.06, 61), "low", 900, 1),
    function(t) return compute_envelope(t, 0.001, 0.012) end)
  return fade(normalize(saturate(mix(0.34, { { drum, 1 }, { normalize(skin, 0), 0.12 } }), 2.4), -2), 0.001, 0.1)
end
sounds.beat_low = function() return create_beat(69.3) end
sounds.beat_high = function() return create_beat(77.78) end

-- Extra ship: four rising bells with an echo.
sounds.extra_life = function()
  local layers = {}
  for i, f in ipairs { 784, 1047, 1319, 1568 } do layers[i] = { create_bell(f, 1.1, 0.35), 0.5, (i - 1) * 0.085 } end
  local sum = add_echo(mix(1.6, layers), 0.17, 0.35)
  return fade(normalize(saturate(sum, 1.2), -2), 0.001, 0.4)
end

sounds.blip = function()
  local function note(seconds, pitch, decay)
    local tone = oscillate(seconds, function() return pitch end, compute_soft_square)
    return apply_envelope(tone, function(t) return compute_envelope(t, 0.003, decay) end)
  end
  local low, high = note(0.05, 660, 0.03), note(0.12, 990, 0.035)
  local sum = filter(mix(0.17, { { low, 0.6 }, { high, 0.7, 0.045 } }), "low", 3800, 0.9)
  return fade(normalize(sum, -4), 0.001, 0.03)
end

-- New wave: a chord through a filter that opens and closes, over a swell of noise.
sounds.wave = function()
  local seconds = 1.5
  local layers = {}
  for i, f in ipairs { 73.42, 110.00, 146.83, 220.25, 293.66 } do
    for k, detune in ipairs { 0.996, 1.004 } do
      local tone = oscillate(seconds, function() return f * detune end, compute_soft_saw)
      layers[#layers + 1] = { tone, 0.3 - 0.03 * i - 0.01 * k }
    end
  end
  local chord = filter(mix(seconds, layers), "low", function(t)
    return 220 + 4200 * exp(-((t - 0.55) / 0.28) * ((t - 0.55) / 0.28))
  end, 1.3)
  chord = apply_envelope(chord, function(t) return min(1, t / 0.35) * (t < 0.6 and 1 or exp(-(t - 0.6) / 0.28)) end)
  local breath = filter(create_noise(seconds, 91), "band", function(t) return 500 + 3500 * min(1, t / 0.6) end, 1.5)
  breath = apply_envelope(normalize(breath, 0), function(t) return t < 0.6 and (t / 0.6) * (t / 0.6)
    or exp(-(t - 0.6) / 0.07) end)
  return fade(normalize(saturate(mix(seconds, { { normalize(chord, 0), 0.8 }, { breath, 0.14 } }), 1.3), -2.5), 0.01,
    0.4)
end

-- Hyperspace: the tone slides down, then shoots up.
sounds.warp = function()
  local seconds = 0.75
  local function pitch(t) return t < 0.3 and compute_glide(t, 1400, 70, 0.09)
    or 70 * exp((t - 0.3) / 0.45 * log(22)) end
  local tone = oscillate(seconds, pitch, compute_soft_saw)
  local ring = oscillate(seconds, function(t) return 90 + 200 * t end, compute_sine)
  local out = {}
  for i = 1, #tone do out[i] = tone[i] * (0.6 + 0.4 * ring[i]) end
  out = filter(out, "low", function(t) return 800 + 5000 * abs(t - 0.3) end, 2)
  out = apply_envelope(out, function(t) return t < 0.55 and 0.4 + 0.6 * abs(t - 0.3) / 0.3
    or exp(-(t - 0.55) / 0.08) end)
  return fade(normalize(saturate(out, 1.5), -3), 0.004, 0.1)
end

-- A ship arrives: three shimmering bells that rise out of a swell.
sounds.spawn = function()
  local layers = {}
  for i, f in ipairs { 587.33, 880, 1174.66 } do layers[i] = { create_bell(f, 0.8, 0.22), 0.35, 0.04 + i * 0.06 } end
  local swell = oscillate(0.9, function(t) return 146.83 * (1 + 0.5 * min(1, t / 0.5)) end, compute_soft_saw)
  swell = filter(swell, "low", function(t) return 300 + 1800 * min(1, t / 0.4) end, 1.2)
  layers[4] = { apply_envelope(swell, function(t) return min(1, t / 0.2) * exp(-max(0, t - 0.2) / 0.18) end), 0.35 }
  return fade(normalize(add_echo(mix(1.1, layers), 0.12, 0.3), -4), 0.002, 0.3)
end

-- Game over: a slow descending line in D minor.
sounds.game_over = function()
  local layers = {}
  for i, f in ipairs { 440, 349.23, 293.66, 146.83 } do
    local long = i == 4
    local note = oscillate(long and 2 or 1, function(t) return f * (1 + 0.004 * sin(tau * 5 * t)) end, compute_soft_saw)
    note = filter(note, "low", function(t) return compute_glide(t, 3200, 350, long and 0.5 or 0.25) end, 1.1)
    layers[i] = { apply_envelope(note, function(t) return compute_envelope(t, 0.015, long and 0.7 or 0.3) end), 0.5,
      (i - 1) * 0.32 }
  end
  return fade(normalize(saturate(add_echo(mix(3, layers), 0.24, 0.4), 1.2), -2.5), 0.002, 0.7)
end

-- Music: a swelling drone on D, wind, and slow distant bells. It has no high frequencies, so half the sample rate is
-- enough.
local loop_seconds = 16
sounds.music = function()
  rate = 22050
  local function round_to_loop(frequency) return floor(frequency * loop_seconds + 0.5) / loop_seconds end
  local function create_slow_wave(turns, phase)
    return function(t) return 0.5 + 0.5 * sin(tau * (turns * t / loop_seconds + phase)) end
  end
  local layers, voices = {}, { -- pitch in Hz, loudness, swells per loop, phase of the swell at the start (0 … 1)
    { 36.71, 0.9, 1, 0 }, { 73.42, 0.7, 2, 0.25 }, { 110.00, 0.4, 3, 0.5 },
    { 146.83, 0.3, 2, 0.7 }, { 174.61, 0.22, 1, 0.4 }, { 261.63, 0.12, 3, 0.1 },
  }
  for _, v in ipairs(voices) do
    local swell = create_slow_wave(v[3], v[4])
    for _, detune in ipairs { 0.9965, 1.0035 } do
      local f = round_to_loop(v[1] * detune)
      local tone = oscillate(loop_seconds, function() return f end, compute_soft_saw)
      layers[#layers + 1] = { apply_envelope(tone, function(t) return 0.35 + 0.65 * swell(t) end), v[2] }
    end
  end
  local open = create_slow_wave(2, 0.75)
  local drone = filter(mix(loop_seconds, layers), "low", function(t) return 180 + 520 * open(t) end, 1.1, true)
  local wind = filter(create_noise(loop_seconds, 123), "band",
    function(t) return 300 + 500 * create_slow_wave(3, 0.2)(t) end, 4, true)
  local bells = {}
  for i = 1, count_samples(loop_seconds) do bells[i] = 0 end
  local notes = { -- start in seconds, pitch in Hz
    { 0.5, 587.33 }, { 2.5, 440 }, { 4.0, 698.46 }, { 6.5, 523.25 },
    { 8.5, 587.33 }, { 10.0, 349.23 }, { 12.0, 440 }, { 14.25, 293.66 },
  }
  for i, note in ipairs(notes) do mix_around(bells, create_bell(note[2], 4, 1.1), i % 2 == 0 and 0.5
    or 0.8, note[1]) end
  bells = filter(add_echo(bells, 0.75, 0.45, true), "low", 2200, 0.7, true)
  local sum = mix(loop_seconds, { { normalize(drone, 0), 0.8 }, { normalize(wind, 0), 0.05 },
    { normalize(bells, 0), 0.16 } })
  return normalize(saturate(sum, 1.1), -3)
end

-- --- the picture behind the stars

-- Returns a function of x and y whose result is smooth noise, 0 … 1: random grid values with cubic interpolation.
local function create_value_noise(seed)
  local next_value, grid = create_noise_source(seed), {}
  for i = 1, 64 * 64 do grid[i] = next_value() * 0.5 + 0.5 end
  local function get_value(x, y) return grid[(y % 64) * 64 + x % 64 + 1] end
  local function ease(t) return t * t * (3 - 2 * t) end
  return function(x, y)
    local cx, cy = floor(x), floor(y)
    local fx, fy = ease(x - cx), ease(y - cy)
    local top = get_value(cx, cy) + (get_value(cx + 1, cy) - get_value(cx, cy)) * fx
    local bottom = get_value(cx, cy + 1) + (get_value(cx + 1, cy + 1) - get_value(cx, cy + 1)) * fx
    return top + (bottom - top) * fy
  end
end

local function sum_octaves(field, x, y)
  local sum, size = 0, 0.5
  for octave = 0, 4 do
    sum = sum + field(x + octave * 17, y + octave * 31) * size
    x, y, size = x * 2, y * 2, size * 0.5
  end
  return sum
end

local function smooth_step(a, b, x)
  local t = max(0, min(1, (x - a) / (b - a)))
  return t * t * (3 - 2 * t)
end

-- Draws a dim nebula: veils of teal and violet with darker lanes, dithered to avoid banding. Returns the width, the
-- height and the RGB bytes.
local function draw_nebula()
  local width, height, out = 400, 225, {}
  local veil, lane, tone, grain = create_value_noise(501), create_value_noise(502), create_value_noise(503),
    create_noise_source(504)
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local u, v = x / 90, y / 90
      local bend = sum_octaves(tone, u * 0.7 + 9, v * 0.7)
      local density = smooth_step(0.42, 0.80, sum_octaves(veil, u + bend * 1.5, v + bend))
      density = density * (1 - 0.75 * smooth_step(0.45, 0.62, sum_octaves(lane, u * 1.6, v * 1.6 + bend)))
      local hue = smooth_step(0.38, 0.60, sum_octaves(tone, u * 0.5 + 30, v * 0.5 + 5))
      local colour = { 10 + 46 * hue, 34 - 18 * hue, 58 + 8 * hue }
      for c = 1, 3 do
        out[#out + 1] = string.char(floor(max(0, min(255, colour[c] * density + 0.5 + grain() * 0.7))))
      end
    end
  end
  return width, height, table.concat(out)
end

-- --- WAV and PNG output

local function encode_little_endian(value, bytes)
  local out = {}
  for i = 1, bytes do
    out[i] = string.char(value % 256)
    value = floor(value / 256)
  end
  return table.concat(out)
end

-- Returns a WAV file: 16-bit mono PCM.
local function encode_wav(buffer)
  local data = {}
  for i = 1, #buffer do data[i] = encode_little_endian(floor(max(-1, min(1, buffer[i])) * 32767 + 0.5) % 65536, 2) end
  local body = table.concat(data)
  local format = encode_little_endian(1, 2) .. encode_little_endian(1, 2) .. encode_little_endian(rate, 4)
    .. encode_little_endian(rate * 2, 4) .. encode_little_endian(2, 2) .. encode_little_endian(16, 2)
  return "RIFF" .. encode_little_endian(36 + #body, 4) .. "WAVEfmt " .. encode_little_endian(16, 4) .. format .. "data"
    .. encode_little_endian(#body, 4) .. body
end

local bit = require "bit"

local function encode_big_endian(value) return encode_little_endian(value, 4):reverse() end

local function crc32(text)
  local crc = -1
  for i = 1, #text do
    crc = bit.bxor(crc, text:byte(i))
    for _ = 1, 8 do
      crc = bit.bxor(bit.rshift(crc, 1), bit.band(0xedb88320, -bit.band(crc, 1)))
    end
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

-- Returns a PNG file: 8-bit RGB, uncompressed.
local function encode_png(width, height, pixels)
  local rows, blocks = {}, {}
  for y = 0, height - 1 do rows[y + 1] = "\0" .. pixels:sub(y * width * 3 + 1, (y + 1) * width * 3) end
  local data = table.concat(rows)
  for start = 1, #data, 65535 do
    local piece = data:sub(start, start + 65534)
    local is_last = start + 65535 > #data and "\1" or "\0"
    blocks[#blocks + 1] = is_last .. encode_little_endian(#piece, 2) .. encode_little_endian(65535 - #piece, 2) .. piece
  end
  local function encode_chunk(kind, body) return encode_big_endian(#body) .. kind .. body
    .. encode_big_endian(crc32(kind .. body)) end
  return "\137PNG\r\n\26\n" .. encode_chunk("IHDR", encode_big_endian(width) .. encode_big_endian(height)
    .. "\8\2\0\0\0")
    .. encode_chunk("IDAT", "\120\1" .. table.concat(blocks) .. encode_big_endian(adler32(data)))
    .. encode_chunk("IEND", "")
end

local folder = arg[1] or arg[0]:match("^(.*)/[^/]*$") or "."
local function save(name, bytes)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(bytes)
  file:close()
  print(string.format("%-16s %8d bytes", name, #bytes))
end

local names = {}
for name in pairs(sounds) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  rate = 44100
  save(name .. ".wav", encode_wav(sounds[name]()))
end
save("nebula.png", encode_png(draw_nebula()))
