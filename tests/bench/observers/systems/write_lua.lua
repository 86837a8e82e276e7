return {
  query = { "lua_stone" },
  start = function() world.spawn_many("lua_stone", world.single.bench.count) end,
  update = function(q)
    local value = q.lua_stone.value
    for i = 1, q.count do value[i] = value[i] + 1 end
  end,
}
