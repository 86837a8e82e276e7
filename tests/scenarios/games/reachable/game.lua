-- luacheck: read globals reachability
-- Calls the walk of tests/scenarios/lib/reachability.lua with all objects that game files, handlers, behaviours,
-- panels, caches, states and migrations receive. lib/settings.lua selects the walks to run.
local only = require("lib.only")

if only("load") then reachability.walk("load", { _G = _G }) end

return {
  title = "Reachable", id = "reachable", tests = true,
  start = function()
    world.spawn("probed", { name = "probed" }):sequence("steps")
    world.spawn("tiled")
    if only("start") then reachability.walk("start", { _G = _G, e = world.find("probed") }) end
    if only("tiles") then
      reachability.walk("tiles", { tiles = world.tiles(world.find("tiled")), snapshot = world.snapshot() })
    end
  end,
}
