-- luajit assets/sounds/generate.lua: writes the sounds of widgets to the folder of this file: a short tick for a new
-- focus, a fainter and deeper one for a changed value, and a rising tone for a press.
local wav = dofile((arg[0]:match("^(.*)/") or ".") .. "/../../scripts/build/wav.lua")
local RATE = 44100

local function write(name, seconds, f)
  local samples = {}
  for i = 0, math.floor(seconds * RATE) - 1 do
    samples[i + 1] = math.floor(math.max(-1, math.min(1, f(i / RATE, seconds))) * 32000)
  end
  wav.write_integers(name, samples, nil, RATE)
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

write("ui_focus", 0.06, tone(1250, 1180, 0.16, 70))
write("ui_change", 0.04, tone(820, 860, 0.14, 90))
write("ui_press", 0.16, tone(520, 980, 0.26, 26))
