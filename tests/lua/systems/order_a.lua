local seen = require("lib.seen")

return { update = function() seen.record_order("order_a") end }
