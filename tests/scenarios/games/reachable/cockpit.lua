-- luacheck: read globals reachability
local only = require("lib.only")
shoal.cockpit { title = "Probe", draw = function(panel, e)
  if only("panel") then reachability.walk("panel", { panel = panel, e = e, _G = _G }) end
  panel:button("Press", function() end)
end }
