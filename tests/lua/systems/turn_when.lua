-- A system that records its calls, and runs only while the singleton `mode` has certain values.
local system = require("lib.recorded_system")("when")
system.when = { mode = { phase = { "playing", "over" }, speed = 0.1 } }
return system
