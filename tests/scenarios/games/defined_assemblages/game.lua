-- A game that defines assemblages at run time; its hashes must not depend on how it is run:
-- tests/scenarios/defined_assemblages.sh.
return {
  title = "Defined assemblages",
  start = function()
    world.define("first", { is = "body", components = { look = { size = 2 } } })
    for i = 1, 20 do world.spawn("first", { place = { x = i } }) end
    for i = 1, 5 do world.spawn("nest", { place = { x = 100 + i } }) end
  end,
}
