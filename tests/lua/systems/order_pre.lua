local seen = require("lib.seen")

return { phase = "pre_update", update = function() seen.record_order("order_pre") end }
