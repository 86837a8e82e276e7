-- Draws the lake, a ring around the buoy, and the feeder and the score of each boat on a plate. The name of a boat's
-- feeder is the name of its state.
local caption = require "caption"
local PLATE_SIZE = 18

local function draw_lake()
  draw.layer(-5)
  for i = 0, 71 do
    draw.colour(0.1 + 0.0008 * i, 0.4 - 0.0028 * i, 0.5 - 0.0022 * i)
    draw.rect(0, i * 10, 1280, 11)
  end
  draw.colour(1, 1, 1, 0.09)
  for i = 1, 110 do -- draws ripples
    local x, y = (i * 397 + world.time * 9) % 1320 - 30, i * 211 % 690
    draw.rect(x, y, 14 + i * 17 % 30, 2)
  end
end

-- Draws grass and reeds along the upper edge.
local function draw_shore()
  for i = 0, 40 do
    draw.colour(0.2, 0.38 + 0.1 * math.abs(math.sin(i * 4.1)), 0.24)
    draw.circle(i * 33, -12 + 10 * math.sin(i * 2.3), 38)
  end
end

local function draw_plate(words, x, y)
  local width = draw.text_size(words, PLATE_SIZE) + 20
  draw.colour(0.02, 0.06, 0.1, 0.72)
  draw.rect(x - width / 2, y, width, 26)
  draw.colour(0.95, 0.97, 1)
  draw.text(words, x, y + 3, PLATE_SIZE, "center")
end

return {
  phase = "render",
  query = { "boat", "transform" },
  update = function(q)
    draw_lake()
    draw_shore()
    local buoy = world.single.race.buoy.transform
    draw.layer(1)
    draw.colour(1, 1, 1, 0.4 - 0.4 * (world.time % 1))
    draw.circle(buoy.x, buoy.y, 18 + 22 * (world.time % 1), false, 3)
    draw.layer(10)
    for i = 1, q.count do
      local below = q.transform.y[i] < 110 and 40 or -68
      draw_plate(q.entity[i]:state() .. " " .. q.boat.score[i], q.transform.x[i], q.transform.y[i] + below)
    end
    caption.draw "[prompt=steer] and [prompt=go]: steer to the buoy   [prompt=pass]: pass the controls on"
  end,
}
