-- Crabs of several behaviours, which are paused, taken away and exchanged: for tests/scenarios/several.sh.
return {
  title = "Several behaviours",
  id = "several",
  start = function()
    for i = 1, 6 do
      world.spawn("crab", { transform = { x = i * 10 } })
    end
    world.spawn("snail", { name = "snail" })
  end,
}
