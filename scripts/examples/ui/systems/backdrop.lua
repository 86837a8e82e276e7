-- Draws the background: a night sky, and discs of light that rise slowly.
local BANDS, DISCS = 40, 24

return {
  phase = "render",
  update = function()
    draw.layer(-10)
    for band = 0, BANDS - 1 do
      local part = band / BANDS
      draw.colour(0.03 + 0.16 * part ^ 2, 0.05 + 0.10 * part, 0.13 + 0.24 * part)
      draw.rect(0, band * 18, 1280, 18)
    end
    draw.blend("add")
    for i = 1, DISCS do
      local x, rise = i * 389.7 % 1280, (i * 217.3 + world.time * (8 + i % 5 * 4)) % 860
      draw.colour(0.35 + 0.4 * (i % 3) / 2, 0.45, 0.95 - 0.3 * (i % 3), 0.09)
      draw.circle(x + 20 * math.sin(world.time * 0.4 + i), 780 - rise, 24 + i * 31 % 60)
    end
    draw.blend("alpha")
  end,
}
