-- A farm: crops grow by the hour (`each`, tables by enum), and handlers of events loop over a query to water and to
-- harvest. plain/farm.c does the same. Run by tests/bench/run.
return { title = "Benchmark: farm" }
