-- The moment a ship becomes a wreck: the lines of its hull fly apart, each on its own way.
local looks = require "lib.looks"

local function fly_apart(e)
  local t, m = e.transform, e.motion
  local hull = looks.numbers(looks.ship)
  local c, s = math.cos(t.angle), math.sin(t.angle)
  local corners = #hull / 2
  for i = 1, corners do
    local k = i % corners + 1
    local x1, y1, x2, y2 = hull[2 * i - 1], hull[2 * i], hull[2 * k - 1], hull[2 * k]
    -- Two halves of each line, so that there is more to fly.
    for half = 0, 1 do
      local mx, my = x1 + (x2 - x1) * (0.25 + half * 0.5), y1 + (y2 - y1) * (0.25 + half * 0.5)
      local dx, dy = (x2 - x1) / 4, (y2 - y1) / 4
      local out = 3.2 + 3.6 * world.random()
      local wx, wy = c * mx - s * my, s * mx + c * my
      world.spawn("ship_piece", {
        transform = { x = t.x + wx, y = t.y + wy, angle = t.angle },
        motion = {
          vx = m.vx * 0.5 + wx * out + (world.random() - 0.5) * 40,
          vy = m.vy * 0.5 + wy * out + (world.random() - 0.5) * 40,
          spin = (world.random() - 0.5) * 9,
        },
        shape = { points = string.format("%.2f,%.2f %.2f,%.2f", -dx, -dy, dx, dy) },
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
