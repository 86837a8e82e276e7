local deeds = require("lib.deeds")

return {
  query = { "health", optional = { "burning" } },
  each = function(e)
    e.health.hp = e.health.hp - 1
    deeds.run(world.random(10) == 1 and 3 or 0)
  end,
}
