local seen = require("lib.seen")

return { phase = "pre_update", update = function() seen.order("order_pre") end }
