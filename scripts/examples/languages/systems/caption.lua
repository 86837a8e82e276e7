-- Draws the caption in the selected language.
local caption = require "caption"

return {
  phase = "render",
  update = function() caption.draw(tr "caption", { width = 960, height = 540 }) end,
}
