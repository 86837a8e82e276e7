-- Random programs (scenarios/numbers.sh): 25 per tick, with a line of output each. Compares a process that compiles
-- early with one that interprets.
return { title = "Programs" }
