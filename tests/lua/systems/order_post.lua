local seen = require("lib.seen")

return { phase = "post_update", update = function() seen.order("order_post") end }
