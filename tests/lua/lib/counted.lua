-- How often is a module run? Once, under whatever names it is asked for.
local seen = require("lib.seen")
seen.counted = (seen.counted or 0) + 1
return { times = seen.counted }
