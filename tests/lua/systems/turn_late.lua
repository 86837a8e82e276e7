-- A system that is disabled until a test enables it.
local seen = require("lib.seen")

return {
  enabled = false,
  start = function() seen.late_start = world.tick end,
  update = function() seen.late_runs = (seen.late_runs or 0) + 1 end,
}
