-- Agents with four states, each with a system, and handlers for entering and leaving a state. All values except the
-- positions are multiples of 1/64, so that f32 columns give the same results as doubles. plain/agents.c does the same.
-- Run by tests/bench/run.
return { title = "Benchmark: agents", tick_rate = 64 }
