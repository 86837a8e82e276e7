-- Calls through pcall: every tenth call raises an error. plain/errors.c returns an error code. Run by tests/bench/run.
return { title = "Benchmark: errors" }
