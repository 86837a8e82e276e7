local seen = require("lib.seen")

return {
  entities = { { "tank", { health = { hp = 3 } } }, { "rock" }, { nil, { label = { text = "cellar" } } } },
  start = function() seen.note("scene", world.count("rock"), world.count("tank")) end,
}
