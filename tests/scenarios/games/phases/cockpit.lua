local probe = require("lib.probe")
shoal.cockpit { title = "Probe", draw = function(panel)
  probe("panel", panel)
  panel:button("Press", function() probe("action", panel) end)
end }
