-- Entities that are spawned, changed and destroyed, and the Lua systems and plugin observers that are notified. The two
-- kinds of entities differ only in what is notified. Run by tests/bench/run, which builds the plugin.
return { title = "Benchmark: enter, leave and changed", tick_rate = 64, plugins = { "hear" } }
