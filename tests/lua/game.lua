-- The Lua tests: a headless game in the real binary. Each file in cases/ returns { outside = { … }, inside = { … } } of
-- tests by name. `outside` tests run from `start`, where changes apply immediately; `inside` tests run in a system,
-- sequentially, and may wait for ticks. Prints `ok NAME` or `not ok NAME: reason`; a failed test is a script error, so
-- that the binary exits with 1.
return {
  title = "Tests",
  tests = true,
  plugins = { "nav" },
  start = function()
    require("lib.suite").run_outside()
  end,
}
