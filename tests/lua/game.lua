-- The Lua tests: a game that runs in the real binary, headless. Each file in cases/ returns { outside = { … }, inside =
-- { … } }: tests by sentence. Those outside run from `start`, where changes apply at once; those inside run in a
-- system, one after another, and may wait for ticks. Prints `ok NAME` or `not ok NAME: why` for each; a failure is a
-- script error, so the binary exits with 1.
return {
  title = "Tests",
  tests = true,
  plugins = { "nav" },
  start = function()
    require("lib.suite").run_outside()
  end,
}
