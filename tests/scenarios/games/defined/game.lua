-- A game whose program defines assemblages, the same however it is lived: tests/scenarios/defined.sh.
return {
  title = "Defined",
  start = function()
    world.define("first", { is = "body", components = { look = { size = 2 } } })
    for i = 1, 20 do world.spawn("first", { place = { x = i } }) end
    for i = 1, 5 do world.spawn("nest", { place = { x = 100 + i } }) end
  end,
}
