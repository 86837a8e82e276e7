local seen = require("lib.seen")

return { phase = "render", update = function() seen.order("order_render") end }
