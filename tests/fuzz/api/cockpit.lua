-- Random calls while a panel is drawn, and within what its button and a command do. Most that a panel's functions are
-- given makes no sense; a command calls everything else as well.
local calls, chosen = require("calls"), require("chosen")

local function act()
  calls.batch("press", chosen.update)
end

shoal.cockpit { title = "Calls", draw = function(panel, e)
  panel:button("Go", act)
  panel:slider("Slide", 1, { 0, 2 }, act)
  calls.batch("panel", chosen.render, nil, panel)
  if e then
    panel:slider("v", e, "small.v", { 0, 1 })
  end
end }
shoal.cockpit { title = "Rows", sql = "SELECT entity, v FROM small", plot = true }
shoal.cockpit { command = "Call", help = "everything", run = act }
