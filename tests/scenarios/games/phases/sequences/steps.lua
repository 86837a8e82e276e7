return { { call = function() require("lib.probe")("sequence") end } }
