-- Functions that draw shapes with an outline of ink.
local M = {}
local INK = "#2a1f2d"

function M.polygon(points, colour)
  draw.colour(colour)
  draw.polygon(points)
  draw.colour(INK)
  draw.polygon(points, false, 4)
end

function M.disc(x, y, radius, colour)
  draw.colour(INK)
  draw.circle(x, y, radius + 3)
  draw.colour(colour)
  draw.circle(x, y, radius)
end

-- Draws a rectangle with rounded corners, without an outline.
function M.box(x, y, width, height, radius, colour)
  local points = {}
  for corner = 0, 3 do
    local cx = corner % 3 == 0 and x + width - radius or x + radius
    local cy = corner < 2 and y + height - radius or y + radius
    for step = 0, 5 do
      local angle = (corner + step / 5) * math.pi / 2
      points[#points + 1], points[#points + 2] = cx + math.cos(angle) * radius, cy + math.sin(angle) * radius
    end
  end
  draw.colour(colour)
  draw.polygon(points)
end

-- Returns the position of the monster in the picture.
function M.monster(e)
  local height = e.pose.height
  return 886, 352 - math.min(100, height) + 6 * math.sin(world.time * 3.5) * math.min(1, height / 20)
end

-- Draws lightning that strikes x, y. `power`: opacity
function M.bolt(x, y, power)
  draw.layer(5)
  draw.colour(1, 0.93, 0.55, power)
  local last_x, last_y = 500, 24
  for i = 1, 6 do
    local part, off = i / 6, i < 6 and 26 * math.sin(i * 12.9898) or 0
    local next_x, next_y = 500 + (x - 500) * part + off, 24 + (y - 24) * part
    draw.line(last_x, last_y, next_x, next_y, 12 * power)
    last_x, last_y = next_x, next_y
  end
  local points, size = {}, 0.75 + 0.35 * power
  for i = 0, 23 do
    local radius, angle = (i % 2 == 0 and 1 or 0.68) * size, i * math.pi / 12
    points[2 * i + 1] = x + 96 + math.cos(angle) * 104 * radius
    points[2 * i + 2] = y - 84 + math.sin(angle) * 62 * radius
  end
  draw.layer(6)
  M.polygon(points, "#ffd23e")
  draw.font("fonts/ui-bold.ttf")
  draw.colour("#c8301f")
  draw.text("WHOMP!", x + 96, y - 84 - 17, 30, "center")
end

return M
