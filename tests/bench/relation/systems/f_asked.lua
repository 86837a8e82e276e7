-- And one that somebody asks about each tick is written, a value in sixteen.
return {
  query = { "asked" },
  update = function(q)
    local value = q.asked.value
    for i = 1, q.count, 16 do
      value[i] = 17 - value[i]
    end
    world.single.sums.changes = world.changed("asked") and 1 or 0
  end,
}
