-- Draws the background: a sunset behind hills.
local BANDS = 36

local function draw_hills(base, height, waves, colour)
  local points = { 960, 540, 0, 540 }
  for step = 0, 32 do
    points[#points + 1] = step * 30
    points[#points + 1] = base - height * math.sin(step / 32 * waves + base) ^ 2
  end
  draw.colour(colour)
  draw.polygon(points)
end

return {
  phase = "render",
  update = function()
    draw.layer(-10)
    for band = 0, BANDS - 1 do
      local part = band / BANDS
      draw.colour(0.17 + 0.8 * part, 0.14 + 0.42 * part, 0.36 - 0.02 * part)
      draw.rect(0, band * 15, 960, 15)
    end
    draw.colour("#ffd9a0")
    draw.circle(876, 330, 54)
    draw_hills(430, 90, 5, "#7b4a78")
    draw_hills(480, 70, 8, "#553763")
    draw_hills(520, 50, 11, "#37284b")
  end,
}
