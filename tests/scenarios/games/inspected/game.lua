-- Inspected: entities gain and lose components at random, and a system that first opens its query in tick 60 draws
-- random numbers in row order. Inspections of this world must not change it (scenarios/inspection.sh and library.sh).
return {
  title = "Inspected",
  start = function()
    for i = 1, 40 do
      world.spawn("mote", { transform = { x = i * 8, y = 40 }, name = { value = "mote " .. i } })
    end
  end,
}
