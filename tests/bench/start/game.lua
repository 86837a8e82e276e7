-- An empty game: measures the start-up time. Run by tests/bench/run.
return { title = "Benchmark: nothing" }
