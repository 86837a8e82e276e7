local seen = require("lib.seen")

return { phase = "render", update = function() seen.record_order("order_render") end }
