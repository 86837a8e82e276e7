-- Counts how often this module is run: once, whatever name it is required by.
local seen = require("lib.seen")
seen.counted = (seen.counted or 0) + 1
return { times = seen.counted }
