return {
  query = { "lua_unit" },
  after = "kill_lua",
  leave = function()
    local told = world.single.told
    told.left = told.left + 1
  end,
}
