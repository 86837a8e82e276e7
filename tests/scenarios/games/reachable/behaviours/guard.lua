-- luacheck: read globals reachability
local only = require("lib.only")
return {
  fields = { timer = 2 },
  update = function(self)
    if world.tick == 1 and only("behaviour") then reachability.walk("behaviour", { self = self }) end
  end,
  land = function(self) return self end,
}
