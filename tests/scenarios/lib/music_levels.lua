-- Checks the music of the games: `luajit music_levels.lua meter` checks the meter (loudness.lua) against signals of
-- known loudness, `loops GAME…` the seams of looping music, and `levels GAME…` that all pieces are within 2 LU of each
-- other at the volumes of music.lua, of the bus and of the player's default setting. Prints the problems, and exits
-- with 1 if there are any. Run it in the root of the source tree.
package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. package.path
local loudness = require "loudness"

local MAX_DIFFERENCE = 2 -- LU
local failed = false

local function report(format, ...)
  print(string.format(format, ...))
  failed = true
end

-- --- the meter

-- Appends a sine of 997 Hz with a peak of `level` dBFS.
local function add_sine(samples, level, seconds, rate)
  local amplitude = 10 ^ (level / 20)
  for _ = 1, seconds * rate do
    samples[#samples + 1] = amplitude * math.sin(2 * math.pi * 997 * #samples / rate)
  end
  return samples
end

local function expect_loudness(name, channels, rate, expected)
  local measured = loudness.measure(channels, rate)
  if math.abs(measured - expected) > 0.1 then
    report("%s at %d Hz: %.2f LUFS, expected %.1f", name, rate, measured, expected)
  end
end

-- The signals of EBU Tech 3341, tests 1 to 4, and of BS.1770: a sine of 0 dBFS in one of two channels has -3.01 LUFS.
local function check_meter()
  for _, rate in ipairs { 48000, 44100, 22050 } do
    for _, level in ipairs { -23, -33 } do
      local sine = add_sine({}, level, 2, rate)
      expect_loudness("stereo sine", { sine, sine }, rate, level)
      expect_loudness("mono sine", { sine }, rate, level)
    end
    expect_loudness("sine on the left", { add_sine({}, 0, 2, rate), {} }, rate, -3.01)
  end
  local rate = 22050
  for _, quiet in ipairs { -36, -72 } do -- levels below the relative and below the absolute gate
    local gated = add_sine(add_sine(add_sine({}, quiet, 10, rate), -23, 60, rate), quiet, 10, rate)
    expect_loudness("sine with quiet parts", { gated }, rate, -23)
  end
end

-- --- the games

-- Runs a file of a game that only declares values. Everything that it reads from Shoal is an empty stub.
local function run_declaration(path)
  local stub = setmetatable({}, { __index = function(t) return t end, __call = function(t) return t end })
  local types = setmetatable({ f32 = function(v) return v end }, { __index = function() return function() end end })
  local chunk = assert(loadfile(path))
  setfenv(chunk, setmetatable({ shoal = { types = types } }, { __index = function(_, name)
    return _G[name] and name ~= "require" and _G[name] or stub
  end }))
  return chunk()
end

-- Calls visit(name, file, volume) for each level at which a piece is played: of its sections, or of the whole piece.
-- Layers that follow a value are silent at first, so they do not count.
local function visit_levels(game, visit)
  local folder = "scripts/games/" .. game
  local bus = (run_declaration(folder .. "/game.lua").buses or {}).music
  local volume = (bus and bus.volume or 1) * run_declaration(folder .. "/settings.lua").music
  for name, piece in pairs(run_declaration(folder .. "/music.lua")) do
    for layer, file in pairs(piece.layers) do
      for section, levels in pairs(piece.sections or { all = { layers = { [layer] = 1 } } }) do
        if type(file) == "string" then
          visit(string.format("%s, %s, section %s", game, name, section), folder .. "/assets/" .. file,
            volume * (piece.volume or 1) * levels.layers[layer])
        end
      end
    end
  end
end

local function check_levels(games)
  local levels, loudest = {}, -math.huge
  for _, game in ipairs(games) do
    visit_levels(game, function(name, file, volume)
      local wav = loudness.read(file)
      levels[name] = loudness.measure(wav.channels, wav.rate) + 20 * math.log10(volume)
      loudest = math.max(loudest, levels[name])
    end)
  end
  for name, level in pairs(levels) do
    if loudest - level > MAX_DIFFERENCE then
      report("%s: %.1f LUFS, the loudest piece has %.1f", name, level, loudest)
    end
  end
end

-- A seam clicks if value or slope change more than anywhere else in the 20 ms on both sides.
local function check_loop(name, file)
  local wav = loudness.read(file)
  local seam = loudness.measure_seam(wav.channels[1], wav.loop_from, math.floor(wav.rate * 0.02))
  if seam.value > seam.largest or seam.slope > seam.largest_slope then
    report("%s: the loop clicks: step %.4f (others %.4f), change of slope %.4f (others %.4f)", name, seam.value,
      seam.largest, seam.slope, seam.largest_slope)
  end
end

local function check_loops(games)
  for _, game in ipairs(games) do
    visit_levels(game, check_loop)
  end
end

local CHECKS = { meter = check_meter, levels = check_levels, loops = check_loops }
CHECKS[arg[1]] { unpack(arg, 2) }
os.exit(failed and 1 or 0)
