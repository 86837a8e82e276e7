-- Measures the loudness of WAV files by ITU-R BS.1770-4, and the step at the seam of their loops:
-- `luajit loudness.lua FILE…` prints a line for each file. Also a module: tests/scenarios/lib/music_levels.lua.
--
-- The signal passes two filters (together K-weighting): a shelf that models the head, and a high-pass. The mean square
-- of each block of 400 ms, which overlap by 75 %, is its power. Blocks below -70 LUFS do not count, and neither do
-- those more than 10 LU below the mean of the others. A mono file is played by both speakers, so it counts as two
-- channels.
local ffi = require "ffi"
local M = {}

-- --- WAV files

local function read_integer(bytes, at, count)
  local value = 0
  for i = count, 1, -1 do
    value = value * 256 + bytes:byte(at + i - 1)
  end
  return value
end

-- Returns the samples of 16 bits as numbers from -1 to 1.
local function decode_samples(data)
  local words = ffi.cast("const int16_t *", data)
  local out = {}
  for i = 1, math.floor(#data / 2) do
    out[i] = words[i - 1] / 32768
  end
  return out
end

-- Reads a WAV file with 16 bits per sample. Returns its rate, channels (lists of samples) and the 0-based index of the
-- sample from which it repeats.
function M.read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read("*a")
  file:close()
  assert(bytes:sub(1, 4) == "RIFF" and bytes:sub(9, 12) == "WAVE", path .. " is not a WAV file")
  local out, data, channels, at = { loop_from = 0, channels = {} }, nil, nil, 13
  while at + 8 <= #bytes do
    local name, size, body = bytes:sub(at, at + 3), read_integer(bytes, at + 4, 4), at + 8
    if name == "fmt " then
      assert(read_integer(bytes, body, 2) == 1 and read_integer(bytes, body + 14, 2) == 16, path .. ": not 16 bits")
      channels, out.rate = read_integer(bytes, body + 2, 2), read_integer(bytes, body + 4, 4)
    elseif name == "data" then
      data = decode_samples(bytes:sub(body, body + size - 1))
    elseif name == "smpl" and read_integer(bytes, body + 28, 4) > 0 then
      out.loop_from = read_integer(bytes, body + 44, 4)
    end
    at = body + size + size % 2
  end
  for c = 1, channels do
    out.channels[c] = {}
    for i = 1, math.floor(#data / channels) do
      out.channels[c][i] = data[(i - 1) * channels + c]
    end
  end
  return out
end

-- --- loudness

-- Applies a filter of second order.
local function filter(samples, b0, b1, b2, a1, a2)
  local out, x1, x2, y1, y2 = {}, 0, 0, 0, 0
  for i, x in ipairs(samples) do
    local y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
    out[i], x1, x2, y1, y2 = y, x, x1, y, y1
  end
  return out
end

-- Applies K-weighting at a sample rate: the filters of BS.1770, given there at 48 kHz, from their analogue prototypes.
local function weight(samples, rate)
  local k, q, gain = math.tan(math.pi * 1681.974450955533 / rate), 0.7071752369554196, 10 ^ (3.999843853973347 / 20)
  local root, a0 = gain ^ 0.4996667741545416, 1 + k / q + k * k
  local shelf = filter(samples, (gain + root * k / q + k * k) / a0, 2 * (k * k - gain) / a0,
    (gain - root * k / q + k * k) / a0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)
  k, q = math.tan(math.pi * 38.13547087602444 / rate), 0.5003270373238773
  a0 = 1 + k / q + k * k
  return filter(shelf, 1, -2, 1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)
end

local function to_lufs(power)
  return -0.691 + 10 * math.log10(power)
end

-- Returns the mean power of the blocks above a loudness; nil if there are none.
local function gate(blocks, lufs)
  local sum, count = 0, 0
  for _, power in ipairs(blocks) do
    if power > 0 and to_lufs(power) > lufs then
      sum, count = sum + power, count + 1
    end
  end
  return count > 0 and sum / count or nil
end

-- Returns the power of each block: the sum of the channels' mean squares.
local function measure_blocks(channels, rate)
  local length, step, blocks = math.floor(rate * 0.4), math.floor(rate * 0.1), {}
  for _, samples in ipairs(channels) do
    local sums = { [0] = 0 }
    for i, y in ipairs(weight(samples, rate)) do
      sums[i] = sums[i - 1] + y * y
    end
    for n = 1, math.floor((#samples - length) / step) + 1 do
      local from = (n - 1) * step
      blocks[n] = (blocks[n] or 0) + (sums[from + length] - sums[from]) / length
    end
  end
  return blocks
end

-- Returns the integrated loudness in LUFS; -math.huge for silence. `channels` are lists of samples from -1 to 1.
function M.measure(channels, rate)
  local blocks = measure_blocks(#channels == 1 and { channels[1], channels[1] } or channels, rate)
  local mean = gate(blocks, -70)
  local power = mean and gate(blocks, math.max(-70, to_lufs(mean) - 10))
  return power and to_lufs(power) or -math.huge
end

-- --- loops

-- Returns the steps of value and slope from the last sample of a loop to its first one, and the largest such steps in
-- `length` samples before the seam and after it.
---@param loop_from integer 0-based index of the loop's first sample
function M.measure_seam(samples, loop_from, length)
  local joined = {}
  for i = #samples - length + 1, #samples do
    joined[#joined + 1] = samples[i]
  end
  for i = loop_from + 1, loop_from + length do
    joined[#joined + 1] = samples[i]
  end
  local out = { value = 0, slope = 0, largest = 0, largest_slope = 0 }
  for i = 3, #joined do
    local step = math.abs(joined[i] - joined[i - 1])
    local slope = math.abs(joined[i] - 2 * joined[i - 1] + joined[i - 2])
    local value_key = i == length + 1 and "value" or "largest"
    local slope_key = (i == length + 1 or i == length + 2) and "slope" or "largest_slope"
    out[value_key], out[slope_key] = math.max(out[value_key], step), math.max(out[slope_key], slope)
  end
  return out
end

-- --- the command

if arg and arg[0] and arg[0]:match("loudness%.lua$") then
  for _, path in ipairs(arg) do
    local wav = M.read(path)
    local seam = M.measure_seam(wav.channels[1], wav.loop_from, math.floor(wav.rate * 0.02))
    print(string.format("%s: %.1f LUFS, loop from sample %d, step %.4f of %.4f, slope %.4f of %.4f", path,
      M.measure(wav.channels, wav.rate), wav.loop_from, seam.value, seam.largest, seam.slope, seam.largest_slope))
  end
end

return M
