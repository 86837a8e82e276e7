-- Draws an evening landscape: sky, sun, three rows of hills, and the ground with grass.
local HILLS = { -- rows of hills: y, wave height, wave length, colour
  { 330, 60, 250, { 0.62, 0.35, 0.45 } }, { 375, 46, 170, { 0.42, 0.26, 0.42 } }, { 415, 34, 120, { 0.26, 0.2, 0.36 } },
}
local SLICE, FLOOR = 12, 440

local function draw_sky()
  for i = 0, 54 do
    draw.colour(0.36 + 0.011 * i, 0.24 + 0.007 * i, 0.46 - 0.002 * i)
    draw.rect(0, i * 8, 960, 9)
  end
  draw.colour(1.5, 1.1, 0.6)
  draw.circle(690, 250, 54)
end

local function draw_hills(y, height, length, colour)
  local function top(x) return y - height * (0.5 * math.sin(x / length * 2) + 0.3 * math.sin(x / length * 4.7 + y)) end
  draw.colour(colour)
  for x = 0, 960, SLICE do
    draw.polygon { x, top(x), x + SLICE, top(x + SLICE), x + SLICE, FLOOR, x, FLOOR }
  end
end

local function draw_ground()
  draw.colour(0.11, 0.17, 0.18)
  draw.rect(0, FLOOR, 960, 100)
  for i = 0, 137 do
    local height, sway = 6 + 9 * math.abs(math.sin(i * 12.9898)), 3 * math.sin(world.time * 1.3 + i * 0.6)
    draw.colour(0.16, 0.25 + 0.08 * math.abs(math.sin(i * 4.1)), 0.22)
    draw.polygon { i * 7 - 3, FLOOR + 3, i * 7 + sway, FLOOR - height, i * 7 + 4, FLOOR + 3 }
  end
end

return {
  phase = "render",
  update = function()
    draw.layer(-5)
    draw_sky()
    for _, row in ipairs(HILLS) do draw_hills(unpack(row)) end
    draw_ground()
  end,
}
