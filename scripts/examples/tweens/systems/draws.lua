-- Draws, for each dot, the name of its easing, its track, and the easing curve.
local caption = require "caption"
local STEPS = 24

return {
  phase = "render",
  query = { "dot", "transform", "shape" },
  update = function(q)
    for i = 1, q.count do
      local x, y, ease = q.dot.left[i], q.transform.y[i], q.dot.ease[i]
      local colour = q.shape.colour[i]
      draw.colour(0.3, 0.34, 0.45)
      draw.line(x, y, x + q.dot.width[i], y, 1)
      draw.colour(colour.x, colour.y, colour.z, 0.6)
      local at = x + q.dot.width[i] + 32
      for step = 1, STEPS do
        local a, b = (step - 1) / STEPS, step / STEPS
        draw.line(at + 44 * a, y + 14 - 28 * shoal.ease(ease, a), at + 44 * b, y + 14 - 28 * shoal.ease(ease, b), 1.5)
      end
      draw.colour(0.75, 0.8, 0.9)
      draw.text(ease, x - 24, y - 8, 16, "right")
    end
    caption.draw "Each dot moves with another easing: world.tween(e, \"transform.x\", to, 1.2, ease)"
  end,
}
