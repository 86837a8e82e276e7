return { phase = "input", update = function() require("lib.probe")("input") end }
