return {
  query = { "read_unit" },
  after = "kill_read",
  leave = function(e)
    local calls = world.single.lua_calls
    calls.sum = calls.sum + e.read_unit.value
  end,
}
