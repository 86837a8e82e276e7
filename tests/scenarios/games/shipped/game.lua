-- What scripts see of the plugins that ship: each file in cases/ returns tests by sentence, which run in a system one
-- after another and may wait for ticks. Prints `ok NAME` or `not ok NAME: why`. Run by tests/scenarios/shipped.sh.
return { title = "Shipped plugins", tests = true, plugins = { "physics", "spatial", "nav", "data" } }
