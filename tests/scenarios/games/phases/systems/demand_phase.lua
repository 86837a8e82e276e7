return { phase = "demand", update = function() require("lib.probe")("demand") end }
