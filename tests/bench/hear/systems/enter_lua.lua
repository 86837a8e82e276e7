return {
  query = { "lua_unit" },
  after = "spawn_lua",
  enter = function()
    local told = world.single.told
    told.entered = told.entered + 1
  end,
}
