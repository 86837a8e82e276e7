return {
  query = { "lua_unit" },
  after = "spawn_lua",
  enter = function()
    local calls = world.single.lua_calls
    calls.entered = calls.entered + 1
  end,
}
