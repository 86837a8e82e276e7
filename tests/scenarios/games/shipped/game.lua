-- The shipped plugins as seen by scripts. Each file in cases/ returns tests by name, which run sequentially in a system
-- and may wait for ticks. Prints `ok NAME` or `not ok NAME: reason`. Run by tests/scenarios/shipped_plugins.sh.
return { title = "Shipped plugins", tests = true, plugins = { "physics", "nav", "data" } }
