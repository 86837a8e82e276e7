return {
  query = { "lua_stone" },
  after = "write_lua",
  changed = function()
    local calls = world.single.lua_calls
    calls.changed = calls.changed + 1
  end,
}
