-- Draws stars, and each orbit around the world position of its arm: a moon's arm is a child of a planet, which is a
-- child of the planet's arm.
local caption = require "caption"
local STARS = 160

local function draw_sky()
  draw.layer(-2)
  for i = 1, STARS do
    draw.colour(0.75, 0.8, 1, 0.15 + 0.5 * (i * 0.37 % 1) ^ 3 + 0.1 * math.sin(world.time * 2 + i))
    draw.circle(i * 389.7 % 1500 - 110, i * 217.3 % 860 - 40, 0.8 + 1.2 * (i * 0.71 % 1))
  end
  draw.blend("add")
  for k = 1, 4 do
    draw.colour(1, 0.7, 0.25, 0.05)
    draw.circle(640, 360, 46 + k * 14)
  end
  draw.blend("alpha")
end

return {
  phase = "render",
  query = { "transform", "orbit" },
  update = function(q)
    draw_sky()
    draw.layer(-1)
    draw.colour(0.4, 0.5, 0.8, 0.5)
    for i = 1, q.count do
      local matrix = q.transform.world[i]
      draw.circle(matrix[13], matrix[14], q.orbit.radius[i], false, 1)
    end
    caption.draw "Children move with their parents: only angles change."
  end,
}
