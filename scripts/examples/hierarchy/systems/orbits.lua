-- Draws each orbit around the world position of its arm: a moon's arm is a child of a planet, which is a child of
-- another arm.
local caption = require "caption"

return {
  phase = "render",
  query = { "transform", "orbit" },
  update = function(q)
    draw.layer(-1)
    draw.colour(0.4, 0.5, 0.8, 0.35)
    for i = 1, q.count do
      local matrix = q.transform.world[i]
      draw.circle(matrix[13], matrix[14], q.orbit.radius[i], false, 1)
    end
    caption.draw "Children move with their parents: only angles change."
  end,
}
