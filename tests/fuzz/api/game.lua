-- Random calls of everything that a script can reach, with arguments that run code of their own (scenarios/guarded.sh).
-- In `start` the world changes at once, in systems when they end, and in the render phase not at all.
return {
  title = "Calls",
  plugins = require("chosen").plugins,
  start = function()
    require("calls").batch("start", require("chosen").start)
  end,
}
