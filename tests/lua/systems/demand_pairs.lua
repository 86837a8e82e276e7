local seen = require("lib.seen")

return {
  phase = "demand",
  queries = { fuels = { "fuel" }, seen = { "fuel", "display" } },
  update = function(q, dt, arguments)
    seen.pairs = q.fuels.count .. " " .. q.seen.count .. " " .. tostring(arguments and arguments.word)
    if arguments and arguments.back then world.run(arguments.back, arguments) end
  end,
}
