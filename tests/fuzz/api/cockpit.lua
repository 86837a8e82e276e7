-- Random calls while a panel is drawn, and in the callbacks of its button and of a command. Most arguments of a panel's
-- functions are invalid; a command also calls everything else.
local calls, settings = require("calls"), require("config")

local function run_batch()
  calls.batch("press", settings.update)
end

shoal.cockpit { title = "Calls", draw = function(panel, e)
  panel:button("Go", run_batch)
  panel:slider("Slide", 1, { 0, 2 }, run_batch)
  calls.batch("panel", settings.render, nil, panel)
  if e then
    panel:slider("v", e, "small.v", { 0, 1 })
  end
end }
shoal.cockpit { title = "Rows", sql = "SELECT entity, v FROM small", plot = true }
shoal.cockpit { command = "Call", help = "everything", run = run_batch }
