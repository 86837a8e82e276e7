-- The kinds of power-ups, which are the components that the cannon gets, and their colours.
local looks = assets.json "looks.json"
return {
  kinds = { "triple", "rapid", "shield" },
  colours = { triple = looks.cyan, rapid = looks.gold, shield = looks.green },
}
