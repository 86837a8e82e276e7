-- And one that somebody asks about each tick is written, a value in sixteen.
return {
  query = { "weight" },
  update = function(q)
    local value = q.weight.value
    for i = 1, q.count, 16 do
      value[i] = 17 - value[i]
    end
    world.single.sums.changes = world.changed("weight") and 1 or 0
  end,
}
