-- Writes WAV files, for the generators of sounds: assets/generate.lua of games and examples. A generator writes to the
-- folder that is its argument, by default its own folder, and always writes the same bytes.
local floor, min, max, abs = math.floor, math.min, math.max, math.abs

local M = {
  RATE = 22050, -- samples per second
  folder = arg[1] or arg[0]:match("^(.*)/") or ".",
}

-- Returns the lowest bytes of an integer, the lowest byte first.
function M.little(bytes, v)
  local out = {}
  for i = 1, bytes do out[i], v = string.char(v % 256), floor(v / 256) end
  return table.concat(out)
end

-- Writes samples of 16 bits, -32768 … 32767. With `loop_from`, the 0-based index of a sample, the file repeats from
-- that sample.
function M.write_integers(name, samples, loop_from, rate)
  local little, words = M.little, {}
  rate = rate or M.RATE
  for i = 1, #samples do words[i] = little(2, samples[i] % 65536) end
  local data = table.concat(words)
  local loop = loop_from and "smpl" .. little(4, 60) .. little(28, 0) .. little(4, 1) .. little(12, 0)
    .. little(4, loop_from) .. little(4, #samples - 1) .. little(8, 0) or ""
  local body = "WAVEfmt " .. little(4, 16) .. little(2, 1) .. little(2, 1) .. little(4, rate) .. little(4, rate * 2)
    .. little(2, 2) .. little(2, 16) .. "data" .. little(4, #data) .. data .. loop
  local file = assert(io.open(M.folder .. "/" .. name .. ".wav", "wb"))
  file:write("RIFF", little(4, #body), body)
  file:close()
end

-- Writes samples of any loudness. Scales them in place to a peak of `peak` times `full` (default 32767).
function M.write_samples(name, samples, peak, loop_from, full)
  local max_level = 1e-6
  for i = 1, #samples do max_level = max(max_level, abs(samples[i])) end
  for i = 1, #samples do samples[i] = floor(samples[i] / max_level * peak * (full or 32767)) end
  M.write_integers(name, samples, loop_from)
end

-- Returns the samples of a sound that lasts `seconds`. f(t) returns the sample at `t` seconds.
function M.make(seconds, f)
  local out = {}
  for i = 1, floor(seconds * M.RATE) do out[i] = f((i - 1) / M.RATE) end
  return out
end

local SEAM_SECONDS = 0.01

-- Removes the click at the seam of a loop. If there are enough samples before the start of the loop, the end of the
-- loop crossfades into these samples. Otherwise, the samples after the end of the loop crossfade into its start. For
-- this purpose, `samples` contains SEAM_SECONDS more than `count` samples, which are then removed.
local function join_loop(samples, count, loop_from)
  local length = #samples - count
  for i = 1, length do
    local share = (i - 0.5) / length
    if loop_from >= length then
      local at = count - length + i
      samples[at] = samples[at] * (1 - share) + samples[loop_from - length + i] * share
    else
      samples[loop_from + i] = samples[loop_from + i] * share + samples[count + i] * (1 - share)
    end
  end
  for i = #samples, count + 1, -1 do samples[i] = nil end
end

-- Writes a sound that lasts `seconds`. f(t) returns the sample at `t` seconds, with any amplitude. The sound is
-- normalized to a peak of `peak` (1: full scale). Without `loop_from`, the end of the sound fades. With `loop_from`, in
-- seconds, the file repeats from there without a click; for this, f is also called for times after `seconds`.
function M.write(name, seconds, peak, f, loop_from)
  if not loop_from then
    M.write_samples(name, M.make(seconds, function(t) return f(t) * min(1, (seconds - t) * 80) end), peak)
    return
  end
  local samples, first = M.make(seconds + SEAM_SECONDS, f), floor(loop_from * M.RATE)
  join_loop(samples, floor(seconds * M.RATE), first)
  M.write_samples(name, samples, peak, first)
end

-- Returns a function that returns the next sample of white noise, -1 … 1.
function M.noise_source(seed)
  return function()
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 1073741824 - 1
  end
end

-- Returns the sample of a sawtooth wave, -1 … 1, at a phase in periods.
function M.saw(phase) return 2 * (phase % 1) - 1 end

-- Returns the frequency of a MIDI note in Hz.
function M.hz(note) return 440 * 2 ^ ((note - 69) / 12) end

return M
