-- Enabled and disabled by the tests.
return require("lib.turn")("switched")
