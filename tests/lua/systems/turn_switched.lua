-- Enabled and disabled by the tests.
return require("lib.recorded_system")("switched")
