-- Wraps entities around the field's edges. An entity moves to the other side only when it is out of sight, so that it
-- does not pop into view.
local tuning = require "tuning"

local WIDTH, HEIGHT = tuning.width, tuning.height

return {
  after = { "motion" },
  query = { "transform", "wrap" },
  update = function(q)
    local x, y, margin = q.transform.x, q.transform.y, q.wrap.margin
    for i = 1, q.count do
      local size = margin[i]
      if x[i] < -size then x[i] = x[i] + WIDTH + 2 * size elseif x[i] > WIDTH + size then x[i] =
        x[i] - WIDTH - 2 * size end
      if y[i] < -size then y[i] = y[i] + HEIGHT + 2 * size elseif y[i] > HEIGHT + size then y[i] =
        y[i] - HEIGHT - 2 * size end
    end
  end,
}
