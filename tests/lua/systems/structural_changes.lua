-- Runs seen.want.change once: a function that changes the world during iteration.
local seen = require("lib.seen")

return {
  query = { "probe", "transform" },
  update = function(q, dt)
    local change = seen.want.change
    seen.want.change = nil
    if change then
      change(q, dt)
    end
  end,
}
