local function fill(q)
  local value = q.lua_unit.value
  for i = 1, q.count do value[i] = i end
end

return {
  every = 3,
  update = function() world.spawn_many("lua_unit", 2 * world.single.bench.count, fill) end,
}
