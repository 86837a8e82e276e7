local seen = require("lib.seen")

return {
  entities = {
    { assemblage = "tank", components = { health = { hp = 3 } } },
    { assemblage = "rock" },
    { components = { label = { text = "cellar" } } },
  },
  start = function() seen.note("scene", world.count("rock"), world.count("tank")) end,
}
