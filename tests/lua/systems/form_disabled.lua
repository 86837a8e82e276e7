local seen = require("lib.seen")

return {
  enabled = false,
  start = function() seen.disabled = "start" end,
  update = function() seen.disabled = "update" end,
}
