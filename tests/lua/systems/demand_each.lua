local seen = require("lib.seen")

return {
  phase = "demand",
  query = { "fuel" },
  each = function(e, dt, arguments)
    seen.demand_dt = dt
    e.fuel.left = e.fuel.left + (arguments and arguments.more or 1)
    if arguments and arguments.again then world.run(arguments.again, arguments) end
    if arguments and arguments.throws then
      world.spawn("rock")
      error(arguments.throws)
    end
  end,
}
