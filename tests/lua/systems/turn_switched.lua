-- Is switched on and off by the tests.
return require("lib.turn")("switched")
