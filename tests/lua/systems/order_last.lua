local seen = require("lib.seen")

return { priority = 10, update = function() seen.record_order("order_last") end }
