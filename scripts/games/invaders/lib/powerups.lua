-- The kinds of power-ups (components that are added to the cannon), with their letters and colours.
local looks = assets.json "looks.json"
return {
  kinds = { "triple", "rapid", "shield" },
  letters = { triple = "@letters.triple", rapid = "@letters.rapid", shield = "@letters.shield" },
  colours = { triple = looks.cyan, rapid = looks.gold, shield = looks.green },
}
