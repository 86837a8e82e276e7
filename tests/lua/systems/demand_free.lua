local seen = require("lib.seen")

return {
  phase = "demand",
  update = function(dt, arguments)
    seen.free_demand = (arguments and arguments.word or "none") .. " " .. world.tick
    world.spawn(nil, { fuel = { left = 77 } })
  end,
}
