-- A game with nothing in it: what a start takes. Run by tests/bench/run.
return { title = "Benchmark: nothing" }
