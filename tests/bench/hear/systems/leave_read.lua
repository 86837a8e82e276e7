return {
  query = { "read_unit" },
  after = "kill_read",
  leave = function(e)
    local told = world.single.told
    told.sum = told.sum + e.read_unit.value
  end,
}
