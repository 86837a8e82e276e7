-- Draws the harbour, the rope between its beads, a lantern below every fourth bead, and the lanterns' reflections.
local rope = require "lib.rope"
local caption = require "caption"
local SHORE = 190 -- y of the water's edge
local COLOURS = { { 1.5, 0.55, 0.35 }, { 1.5, 1.15, 0.45 }, { 0.5, 1.3, 0.8 }, { 0.5, 0.9, 1.6 }, { 1.3, 0.6, 1.4 } }

local function draw_harbour()
  draw.layer(-10)
  for i = 0, 55 do
    draw.colour(0.05 + 0.005 * i, 0.07 + 0.0035 * i, 0.19 + 0.0035 * i)
    draw.rect(-640, -360 + i * 10, 1280, 11)
  end
  for i = 1, 70 do
    draw.colour(1, 1, 1, 0.2 + 0.5 * math.sin(i * 7.1 + world.time) ^ 2)
    draw.circle(i * 397 % 1280 - 640, i * 211 % 300 - 350, 1.3)
  end
  for i = 0, 17 do -- draws houses on the far shore
    local x, height = i * 74 - 650, 34 + i * 53 % 60
    draw.colour(0.1, 0.1, 0.2)
    draw.rect(x, SHORE - height, 66, height)
    draw.polygon { x - 4, SHORE - height, x + 33, SHORE - height - 24, x + 70, SHORE - height }
    draw.colour(1.2, 0.9, 0.45, 0.8)
    draw.rect(x + 14 + i * 17 % 26, SHORE - height + 10, 8, 11)
  end
  draw.colour(0.07, 0.1, 0.22)
  draw.rect(-640, SHORE, 1280, 360 - SHORE)
end

local function draw_posts()
  draw.layer(-1)
  draw.colour(0.2, 0.15, 0.13)
  draw.rect(-518, -130, 16, 400)
  draw.rect(498, -130, 16, 400)
end

local function draw_lantern(x, y, number)
  local r, g, b = unpack(COLOURS[number / 4 % #COLOURS + 1])
  draw.colour(r, g, b, 0.035)
  for radius = 16, 44, 4 do draw.circle(x, y + 22, radius) end
  draw.colour(r, g, b)
  draw.circle(x, y + 22, 11)
  for k = 0, 8 do -- draws the reflection, which the waves break into stripes
    local sway, half = (2 + k * 0.6) * math.sin(world.time * 2 + k * 1.7 + x), 7 + k
    draw.colour(r, g, b, 0.4 - 0.042 * k)
    draw.rect(x - half + sway, SHORE + 6 + k * 13, 2 * half, 4)
  end
end

return {
  phase = "render",
  query = { "bead", "transform" },
  update = function(q)
    local x, y, last = {}, {}, 0
    for i = 1, q.count do
      local number = q.bead.number[i]
      x[number], y[number] = q.transform.x[i], q.transform.y[i]
      last = math.max(last, number)
    end
    draw_harbour()
    draw_posts()
    draw.layer(-1)
    draw.colour(0.55, 0.46, 0.34)
    for i = 2, last do
      if x[i - 1] and x[i] then draw.line(x[i - 1], y[i - 1], x[i], y[i], 4) end
    end
    draw.layer(1)
    for number = 4, last - 4, 4 do
      if x[number] then draw_lantern(x[number], y[number], number) end
    end
    caption.draw("A rope of 64 beads, moved by " .. rope.by .. " with the same results in C and in Lua")
  end,
}
