return {
  lua_unit = { components = { transform = {}, motion = {}, lua_unit = {} } },
  c_unit = { components = { transform = {}, motion = {}, c_unit = {} } },
  read_unit = { components = { transform = {}, motion = {}, read_unit = {} } },
  lua_stone = { components = { lua_stone = {} } },
  c_stone = { components = { c_stone = {} } },
}
