-- When a ship becomes a wreck, the lines of its hull fly apart.
local looks = require "lib.looks"
local crew = require "lib.crew"

local function fly_apart(e)
  if e:state() ~= "breaking" then return end
  local transform, motion = e.transform, e.motion
  local hull, colour = looks.numbers(crew.get_hull(e.ship.player)), crew.get_colour(e.ship.player)
  local cosine, sine = math.cos(transform.angle), math.sin(transform.angle)
  local corners = #hull / 2
  for i = 1, corners do
    local k = i % corners + 1
    local x1, y1, x2, y2 = hull[2 * i - 1], hull[2 * i], hull[2 * k - 1], hull[2 * k]
    local dx, dy = x2 - x1, y2 - y1
    local parts = dx * dx + dy * dy > 20 * 20 and 2 or 1 -- lines longer than 20 pixels break in two
    for part = 1, parts do
      local along, half = (part - 0.5) / parts, 0.5 / parts
      local mx, my = x1 + dx * along, y1 + dy * along
      local outward_speed = 1.6 + 2.6 * world.random()
      local wx, wy = cosine * mx - sine * my, sine * mx + cosine * my
      world.spawn("ship_piece", {
        transform = { x = transform.x + wx, y = transform.y + wy, angle = transform.angle },
        motion = {
          vx = motion.vx * 0.5 + wx * outward_speed + (world.random() - 0.5) * 24,
          vy = motion.vy * 0.5 + wy * outward_speed + (world.random() - 0.5) * 24,
          spin = (world.random() - 0.5) * 7,
        },
        shape = { points = string.format("%.2f,%.2f %.2f,%.2f", -dx * half, -dy * half, dx * half, dy * half),
          colour = { colour[1], colour[2], colour[3], 1 } },
      })
    end
  end
end

return {
  phase = "post_update",
  after = { "ship_breaks" },
  query = { "ship", "wreck", "transform", "motion" },
  enter = fly_apart,
}
