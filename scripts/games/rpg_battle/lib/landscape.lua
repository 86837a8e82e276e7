-- Draws the landscape around the field, up to the edges of the window: mirrored copies beside it, the sky above and the
-- grass below.
local WIDTH, HEIGHT, ZOOM, BANDS = 1020, 574, 1.3, 24 -- size of the field, zoom of the camera, bands of a gradient
local SKY, FAR_SKY, GRASS, FAR_GRASS = { 0.335, 0.395, 0.597 }, { 0.20, 0.24, 0.43 }, { 0.30, 0.376, 0.18 },
  { 0.15, 0.20, 0.09 }

-- Draws bands across the window from `y` to `edge`, with a gradient between two colours.
local function draw_bands(x, width, y, edge, near, far, tint)
  local step = (edge - y) / BANDS
  for i = 0, BANDS - 1 do
    local r, g, b = near[1] + (far[1] - near[1]) * i / BANDS, near[2] + (far[2] - near[2]) * i / BANDS,
      near[3] + (far[3] - near[3]) * i / BANDS
    draw.colour(r * tint.r, g * tint.g, b * tint.b)
    draw.rect(x, math.min(y, y + step) + i * step, width, math.abs(step) + 1)
  end
end

local M = {}

function M.draw()
  local field, _, _, width, height = world.find("field"), window.area()
  if not field then return end
  local middle, tint = field.transform, field.sprite.tint
  width, height = width / ZOOM, height / ZOOM
  draw.layer(-11)
  if height > HEIGHT then
    local x, top, bottom = middle.x - width / 2, middle.y - height / 2, middle.y + height / 2
    draw_bands(x, width, middle.y - HEIGHT / 2, top, SKY, FAR_SKY, tint)
    draw_bands(x, width, middle.y + HEIGHT / 2, bottom, GRASS, FAR_GRASS, tint)
  end
  draw.colour(tint.r, tint.g, tint.b)
  local copies = math.ceil((width / WIDTH - 1) / 2)
  for i = -copies, copies do
    local is_mirrored = i % 2 == 1
    if i ~= 0 then
      draw.image("field.png", middle.x + i * WIDTH, middle.y, 0, (is_mirrored and -1 or 1) * WIDTH / 480, HEIGHT / 270)
    end
  end
end

return M
