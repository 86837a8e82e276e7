-- Destroys every second entity; finish.lua destroys the remaining entities.
return {
  query = { "lua_unit" },
  after = { "spawn_lua", "enter_lua" },
  update = function(q)
    if world.tick % 3 ~= 1 then return end
    local entity, value = q.entity, q.lua_unit.value
    for i = 1, q.count do
      if value[i] % 2 == 1 then entity[i]:destroy() end
    end
  end,
}
