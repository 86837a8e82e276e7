-- The simplest form of a system: `each` runs once per entity.
local seen = require("lib.seen")

return {
  query = { "probe", without = { "frozen" } },
  each = function(e, dt)
    e.probe.n = e.probe.n + 1
    seen.each_dt = dt
  end,
}
