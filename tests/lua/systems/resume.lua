-- Ends a pause started by a test. Input systems also run while the world is paused.
local seen = require("lib.seen")

return {
  phase = "input",
  update = function()
    if seen.want.resume_in then
      seen.want.resume_in = seen.want.resume_in - 1
      if seen.want.resume_in == 0 then
        seen.want.resume_in = nil
        world.pause(false)
      end
    end
  end,
}
