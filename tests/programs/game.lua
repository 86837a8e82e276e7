-- Random programs (scenarios/numbers.sh): 25 per tick, each with a line of output. The scenario compares a process that
-- compiles early with one that only interprets.
return { title = "Programs" }
