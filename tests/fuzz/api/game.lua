-- Random calls to every function that scripts can reach, with arguments that execute code (scenarios/reentrancy.sh).
-- Changes apply immediately in `start`, at the end of a system in systems, and not at all in the render phase.
return {
  title = "Calls",
  plugins = require("config").plugins,
  start = function()
    require("calls").batch("start", require("config").start)
  end,
}
