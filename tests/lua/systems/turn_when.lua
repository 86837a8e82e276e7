-- Has a turn only while the single says so.
local system = require("lib.turn")("when")
system.when = { mode = { phase = { "playing", "over" }, speed = 0.1 } }
return system
