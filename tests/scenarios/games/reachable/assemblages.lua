-- luacheck: read globals reachability
local only = require("lib.only")
return {
  probed = {
    components = { transform = {}, poise = {}, guard = {}, gun = { left = {} } },
    states = {
      initial = "alive",
      alive = { marker = function(e)
        if only("state") then reachability.walk("state", { e = e }) end
        return { value = 2 }
      end },
    },
  },
  tiled = { components = { name = "tiled", transform = {}, tilemap = {} } },
}
