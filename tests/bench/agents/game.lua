-- Agents with four states, each with a system, and handlers for entering and leaving a state. All values but the places
-- are multiples of 1/64, so f32 columns have the results of doubles. plain/agents.c does the same. Run by
-- tests/bench/run.
return { title = "Benchmark: agents", tick_rate = 64 }
