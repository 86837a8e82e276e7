-- Draws the meadow and, below it, the saves with their pictures.
local caption = require "caption"
local SLOTS = { { "one", "1 saves, Q loads" }, { "two", "2 saves, W loads" }, { "three", "3 saves, E loads" } }

local function draw_petals(x, y, size, hue)
  local r, g, b = 0.95, 0.45 + 0.5 * math.abs(hue * 2 - 1), 0.35 + 0.6 * hue
  draw.colour(0.16, 0.42, 0.2)
  draw.line(x, y + size * 3.4, x, y, 3)
  for k = 0, 5 do
    draw.colour(r, g, b)
    draw.circle(x + math.cos(k * 1.047) * size, y + math.sin(k * 1.047) * size, size * 0.62, true)
  end
  draw.colour(1, 0.85, 0.3)
  draw.circle(x, y, size * 0.55, true)
end

return {
  phase = "render",
  query = { "flower", "transform" },
  update = function(q)
    draw.colour(1, 0.95, 0.75)
    draw.circle(1090, 90, 44, true)
    draw.colour(0.36, 0.62, 0.36)
    draw.circle(250, 560, 400, true)
    draw.circle(960, 640, 480, true)
    draw.colour(0.42, 0.68, 0.36)
    draw.rect(0, 240, 1280, 290, true)
    for i = 1, q.count do
      local size = 11 * math.min(1, 0.25 + q.flower.age[i] * 0.25)
      local sway = math.sin(world.tick * 0.03 + q.transform.x[i] * 0.02) * 4
      draw_petals(q.transform.x[i] + sway, q.transform.y[i], size, q.flower.hue[i])
    end
    draw.space("screen")
    draw.colour(0.09, 0.1, 0.12)
    draw.rect(0, 524, 1280, 196, true)
    for i, slot in ipairs(SLOTS) do
      local x, words = i * 400 - 370, world.single.shelf[slot[1]]
      draw.colour(1, 1, 1, 0.07)
      draw.rect(x, 540, 210, 118, true)
      if words:find("^after") and assets.exists("save:" .. slot[1]) then -- without a window, saves have no screenshot
        draw.colour(1, 1, 1)
        draw.image("save:" .. slot[1], x + 105, 599, 0, 0.656, 0.656)
      end
      draw.colour(0.9, 0.92, 0.95)
      draw.text(slot[2], x + 226, 552, 18)
      draw.colour(0.6, 0.65, 0.72)
      draw.text(words ~= "" and words or "empty", x + 226, 582, 16)
    end
    caption.draw "Saves with pictures. Click: plant a flower"
  end,
}
