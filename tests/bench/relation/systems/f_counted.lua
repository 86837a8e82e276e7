-- Writes every sixteenth value of a component whose changes are counted in each tick.
return {
  query = { "counted" },
  update = function(q)
    local value = q.counted.value
    for i = 1, q.count, 16 do
      value[i] = 17 - value[i]
    end
    world.single.sums.changes = world.changes("counted") > 0 and 1 or 0
  end,
}
