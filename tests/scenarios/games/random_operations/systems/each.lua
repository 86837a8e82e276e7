local operations = require("lib.operations")

return {
  query = { "health", optional = { "burning" } },
  each = function(e)
    e.health.hp = e.health.hp - 1
    operations.run(world.random(10) == 1 and 3 or 0)
  end,
}
