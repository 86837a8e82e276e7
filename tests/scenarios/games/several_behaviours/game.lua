-- Crabs with several behaviours, which are disabled, removed and added again: for
-- tests/scenarios/several_behaviours.sh.
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
