local seen = require("lib.seen")

return { after = { "order_last" }, priority = -100, update = function() seen.order("order_after_last") end }
