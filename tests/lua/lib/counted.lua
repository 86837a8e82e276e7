-- Counts how often this module runs: once, whichever name it is required by.
local seen = require("lib.seen")
seen.counted = (seen.counted or 0) + 1
return { times = seen.counted }
