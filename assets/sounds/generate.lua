-- luajit assets/sounds/generate.lua: writes the sounds of widgets to the folder of this file: a short tick for a new
-- focus, a fainter and deeper one for a changed value, and a rising tone for a press.
local RATE = 44100
local HERE = arg[0]:match("^(.*)/[^/]+$") or "."

local function little(n, bytes)
  local out = {}
  for i = 1, bytes do
    out[i] = string.char(n % 256)
    n = math.floor(n / 256)
  end
  return table.concat(out)
end

local function write(name, seconds, f)
  local samples = {}
  for i = 0, math.floor(seconds * RATE) - 1 do
    local v = math.max(-1, math.min(1, f(i / RATE, seconds)))
    samples[#samples + 1] = little(math.floor(v * 32000) % 65536, 2)
  end
  local data = table.concat(samples)
  local file = assert(io.open(HERE .. "/" .. name, "wb"))
  file:write("RIFF", little(36 + #data, 4), "WAVEfmt ", little(16, 4), little(1, 2), little(1, 2), little(RATE, 4),
    little(RATE * 2, 4), little(2, 2), little(16, 2), "data", little(#data, 4), data)
  file:close()
end

-- Returns a tone that glides linearly from `from` to `to` Hz and decays by a factor of e every 1 / `decay` seconds.
local function tone(from, to, loud, decay)
  local phase = 0
  return function(t, seconds)
    local pitch = from + (to - from) * t / seconds
    phase = phase + 2 * math.pi * pitch / RATE
    local attack = math.min(1, t / 0.002)
    return attack * math.exp(-t * decay) * loud * (math.sin(phase) + 0.25 * math.sin(2 * phase))
  end
end

write("ui_focus.wav", 0.06, tone(1250, 1180, 0.16, 70))
write("ui_change.wav", 0.04, tone(820, 860, 0.14, 90))
write("ui_press.wav", 0.16, tone(520, 980, 0.26, 26))
