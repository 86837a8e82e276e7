local seen = require("lib.seen")

return { after = { "order_last" }, priority = -100, update = function() seen.record_order("order_after_last") end }
