-- A system without a query.
local seen = require("lib.seen")

return {
  update = function(...)
    seen.free_runs = (seen.free_runs or 0) + 1
    seen.free_arguments = select("#", ...)
    seen.free_dt = ...
  end,
}
