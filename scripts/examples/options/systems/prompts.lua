-- Shows the bindings on the most recently used device, as keycaps or buttons.
local caption = require "caption"

return {
  phase = "render",
  update = function()
    caption.draw("[prompt=run]  run      [prompt=jump]  jump      [prompt=dash]  dash      [prompt=menu]  options",
      { width = 960, height = 540 })
  end,
}
