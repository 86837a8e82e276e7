return {
  query = { "lua_unit" },
  after = "kill_lua",
  leave = function()
    local calls = world.single.lua_calls
    calls.left = calls.left + 1
  end,
}
