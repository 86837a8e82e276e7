-- A behaviour with a single function.
local seen = require("lib.seen")

return {
  create = function() seen.note("sleeper") end,
}
