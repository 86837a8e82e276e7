local seen = require("lib.seen")

return { update = function() seen.order("order_b") end }
