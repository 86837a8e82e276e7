-- Runs seen.want.storm once: a function that changes the world during iteration.
local seen = require("lib.seen")

return {
  query = { "probe", "transform" },
  update = function(q, dt)
    local storm = seen.want.storm
    seen.want.storm = nil
    if storm then
      storm(q, dt)
    end
  end,
}
