-- Calls every function of the table of phases (scripts/shoal/base/phases.lua) in one phase, named by lib/phase.lua, and
-- prints which calls the phase refuses. tests/scenarios/phases.sh writes lib/phase.lua and lib/rows.lua.
local probe = require("lib.probe")
probe("load")

return {
  title = "Phases", id = "phases", tests = true,
  start = function()
    world.spawn("probed", { name = "probed" })
    world.spawn(nil, { name = "tiled", transform = {}, tilemap = {} })
    world.spawn(nil, { transform = {} }):sequence("steps")
    probe("start")
  end,
}
