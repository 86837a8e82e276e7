return {
  query = { "lua_stone" },
  after = "write_lua",
  changed = function()
    local told = world.single.told
    told.changed = told.changed + 1
  end,
}
