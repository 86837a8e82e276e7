-- Draws the flash of an exploding ship over the whole screen.
local menu = require "menu"
local tuning = require "tuning"

return {
  phase = "render",
  update = function()
    local flash = world.single.impact.flash
    if flash <= 0 then return end
    draw.space "screen"
    draw.layer(9)
    draw.blend "add"
    draw.colour(0.55, 0.75, 1.0, menu.flash(0.22 * flash * flash))
    draw.rect(0, 0, tuning.width, tuning.height, true)
    draw.blend "alpha"
  end,
}
