local seen = require("lib.seen")

return { before = "order_first", priority = 100, update = function() seen.record_order("order_before_first") end }
