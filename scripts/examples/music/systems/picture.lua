-- Draws the landscape and, below it, the music: a lane for each layer with its notes and volume, the section, and the
-- current beat.
local caption = require "caption"
local LAYERS = {
  { "pad", 0.42, 0.6, 1 }, { "pluck", 0.55, 0.95, 0.7 }, { "drums", 1, 0.82, 0.4 }, { "danger", 1, 0.33, 0.3 },
}
local HITS = { -- positions of each layer's notes, in eighth notes since the start of its two bars
  pad = { 0, 8 }, pluck = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
  drums = { 0, 2, 3, 4, 6, 8, 10, 11, 12, 14 }, danger = { 0, 2, 4, 6, 8, 10, 12, 14 },
}
local LOUD = { calm = { pad = 1, pluck = 0.7, danger = 1 }, chase = { pad = 0.6, pluck = 1, drums = 1, danger = 1 },
  cave = { pad = 1, pluck = 0.5, danger = 1 } }
local CAPTIONS = { calm = "calm", chase = "chase: from the next bar on", cave = "cave: muffled, with an echo" }
local X, WIDTH, Y, HIGH = 260, 960, 478, 41

local function draw_landscape()
  for i = 0, 11 do
    draw.colour(0.03 + i * 0.004, 0.045 + i * 0.007, 0.11 + i * 0.012)
    draw.rect(0, i * 36, 1280, 36, true)
  end
  for i = 1, 60 do
    draw.colour(1, 1, 1, 0.1 + 0.25 * math.sin(i * 7.1 + world.tick * 0.02) ^ 2)
    draw.circle(i * 397 % 1280, i * 211 % 260, 1.2, true)
  end
  for i = 0, 7 do
    draw.colour(0.05, 0.09, 0.13)
    draw.circle(i * 130 - 10, 440, 110 + i * 37 % 40, true)
  end
  draw.colour(0.035, 0.06, 0.075)
  draw.rect(0, 352, 1280, 80, true)
  draw.colour(0.1, 0.1, 0.15)
  draw.circle(1120, 352, 220, true)
  draw.colour(0.07, 0.07, 0.11)
  draw.circle(1105, 362, 185, true)
  draw.colour(0.012, 0.012, 0.03)
  draw.circle(1090, 372, 150, true)
  draw.colour(0.035, 0.06, 0.075)
  draw.rect(0, 352, 1280, 80, true)
end

local function draw_lane(i, layer, beat, volume)
  local name, r, g, b = unpack(layer)
  local y = Y + (i - 1) * (HIGH + 8)
  draw.colour(1, 1, 1, 0.05)
  draw.rect(X, y, WIDTH, HIGH, true)
  for _, hit in ipairs(HITS[name]) do
    local since = (beat % 8 - hit / 2) % 8
    local glow = math.max(0, 1 - since * 1.4)
    local high = (0.3 + 0.7 * glow) * HIGH * (0.25 + 0.75 * volume)
    draw.colour(r * (0.5 + glow), g * (0.5 + glow), b * (0.5 + glow), 0.12 + 0.88 * volume)
    draw.rect(X + hit / 16 * WIDTH + 3, y + (HIGH - high) / 2, WIDTH / 16 - 6, high, true)
  end
  draw.colour(r, g, b, 0.35 + 0.65 * volume)
  draw.text(name, X - 110, y + 14, 18, "right")
  draw.colour(1, 1, 1, 0.08)
  draw.rect(X - 95, y + 18, 80, 8, true)
  draw.colour(r, g, b)
  draw.rect(X - 95, y + 18, 80 * volume, 8, true)
end

return {
  phase = "render",
  update = function()
    local s, heat = world.single.music, world.single.heat.value
    local beat, bar = music.beat()
    draw.layer(-10)
    draw_landscape()
    draw.layer(0)
    draw.colour(0.02, 0.025, 0.045)
    draw.rect(0, 430, 1280, 290, true)
    local now, was = LOUD[s.section] or {}, LOUD[s.before_section] or {}
    local t = math.min(1, (world.tick - s.changed) / math.max(1, s.fade * 60))
    for i, layer in ipairs(LAYERS) do
      local from, to = was[layer[1]] or 0, now[layer[1]] or 0
      draw_lane(i, layer, beat, (from + (to - from) * t) * (layer[1] == "danger" and heat or 1))
    end
    draw.colour(1, 1, 1, 0.7)
    draw.rect(X + beat % 8 / 8 * WIDTH, Y - 6, 2, 4 * (HIGH + 8) + 4, true)
    draw.colour(0.75, 0.8, 0.9)
    draw.text("bar " .. bar, X, 444, 18)
    for i = 1, 4 do
      local on = math.floor(beat % 4) + 1 == i
      draw.colour(1, 0.9, 0.6, on and 1 or 0.2)
      draw.circle(X + 90 + i * 20, 453, on and 7 or 4, true)
    end
    draw.colour(1, 0.95, 0.8)
    draw.text(CAPTIONS[s.section] or "", 640, 442, 22, "center")
    draw.colour(0.75, 0.8, 0.9, s.due >= 0 and 1 or 0.35)
    draw.text(s.due >= 0 and "next: " .. s.next_section or "next: –", X + WIDTH, 444, 18, "right")
    if s.star_due >= 0 then
      draw.colour(1, 0.95, 0.6)
      draw.text("a star waits for the beat", 60, 444, 18)
    end
    caption.draw "Music with layers follows the game. [prompt=star]: a star   [prompt=closer]: the enemy comes closer"
  end,
}
