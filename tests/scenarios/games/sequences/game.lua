-- Sequences with every kind of step, some always active: for the tests of re-simulation and replays.
return { title = "sequences", history = 64 }
