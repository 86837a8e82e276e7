-- A recording system that the tests enable and disable.
return require("lib.recorded_system")("switched")
