local seen = require("lib.seen")

return { phase = "post_update", update = function() seen.record_order("order_post") end }
