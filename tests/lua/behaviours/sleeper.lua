-- The smallest possible behaviour.
local seen = require("lib.seen")

return {
  create = function() seen.note("sleeper") end,
}
