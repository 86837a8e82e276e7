-- A system that records its calls. The tests enable and disable it.
return require("lib.recorded_system")("switched")
