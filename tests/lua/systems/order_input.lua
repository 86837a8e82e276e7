local seen = require("lib.seen")

return { phase = "input", update = function() seen.order("order_input") end }
