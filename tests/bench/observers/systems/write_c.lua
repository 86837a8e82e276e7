return {
  query = { "c_stone" },
  start = function() world.spawn_many("c_stone", world.single.bench.count) end,
  update = function(q)
    local value = q.c_stone.value
    for i = 1, q.count do value[i] = value[i] + 1 end
  end,
}
