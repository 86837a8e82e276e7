return {
  phase = "pre_update",
  queries = { lua = { "lua_unit" }, c = { "c_unit" }, read = { "read_unit" } },
  update = function(q)
    if world.tick % 3 ~= 2 then return end
    q.lua:destroy_all()
    q.c:destroy_all()
    q.read:destroy_all()
  end,
}
