-- Counts how often this module runs: once, regardless of the name passed to `require`.
local seen = require("lib.seen")
seen.counted = (seen.counted or 0) + 1
return { times = seen.counted }
