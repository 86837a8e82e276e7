-- Random calls to every function that scripts can reach, with arguments that execute code (scenarios/reentrancy.sh). In
-- `start` changes apply at once, in systems at their end, and in the render phase not at all.
return {
  title = "Calls",
  plugins = require("config").plugins,
  start = function()
    require("calls").batch("start", require("config").start)
  end,
}
