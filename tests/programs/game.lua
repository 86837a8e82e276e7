-- Random programs (scenarios/numbers.sh): 25 a tick, and a line for each says what came out. Processes are compared by
-- their lines: one that compiles early with one that interprets.
return { title = "Programs" }
