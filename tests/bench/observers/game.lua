-- Spawns, changes and destroys entities, and measures the Lua systems and plugin observers that are notified. The kinds
-- of entities differ only in their observers. Run by tests/bench/run, which builds the plugin.
return { title = "Benchmark: enter, leave and changed", tick_rate = 64, plugins = { "observers" } }
