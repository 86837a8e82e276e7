-- Entities that are spawned, changed and destroyed, and the systems and observers of a plugin that are told. The two
-- kinds of entities differ only in who is told. Run by tests/bench/run, which builds the plugin.
return { title = "Benchmark: enter, leave and changed", tick_rate = 64, plugins = { "hear" } }
