-- Draws the caption.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("A cutscene is a list of steps: sequences/meeting.lua. "
      .. (input.device() == "keyboard" and "Space: continue   Up, down: choose an answer"
        or "A: continue   D-pad: choose an answer"))
  end,
}
