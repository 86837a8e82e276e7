-- A behaviour with as little as there can be.
local seen = require("lib.seen")

return {
  create = function() seen.note("sleeper") end,
}
