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
      local m = margin[i]
      if x[i] < -m then x[i] = x[i] + WIDTH + 2 * m elseif x[i] > WIDTH + m then x[i] = x[i] - WIDTH - 2 * m end
      if y[i] < -m then y[i] = y[i] + HEIGHT + 2 * m elseif y[i] > HEIGHT + m then y[i] = y[i] - HEIGHT - 2 * m end
    end
  end,
}
