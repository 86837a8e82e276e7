local seen = require("lib.seen")

return {
  phase = "demand",
  update = function(dt, arguments)
    seen.free_demand = (arguments and arguments.word or "none") .. " " .. world.tick
    if arguments and arguments.define then
      world.define(arguments.define, { components = { fuel = {} } })
      world.spawn(arguments.define)
      error("defined and thrown", 0)
    end
    world.spawn(nil, { fuel = { left = 77 } })
  end,
}
