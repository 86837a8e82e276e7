-- luacheck: read globals reachability
local only = require("lib.only")
return {
  phase = "render",
  query = { "transform" },
  update = function(q)
    if world.tick == 1 and only("render") then reachability.walk("render", { q = q, _G = _G }) end
  end,
}
