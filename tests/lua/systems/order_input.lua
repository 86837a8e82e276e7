local seen = require("lib.seen")

return { phase = "input", update = function() seen.record_order("order_input") end }
