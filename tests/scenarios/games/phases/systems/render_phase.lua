return { phase = "render", update = function() require("lib.probe")("render") end }
