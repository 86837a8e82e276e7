local seen = require("lib.seen")

return { priority = -10, update = function() seen.order("order_first") end }
