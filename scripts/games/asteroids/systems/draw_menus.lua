-- Draws the labels of the menus' buttons in the vector font. The widgets themselves are invisible (theme.lua).
local tuning = require "tuning"
local strokes = require "lib.strokes"

local text, gold = tuning.colours.text, tuning.colours.gold
local SIZE = 22

-- Draws arrows on both sides of the focused label, so that colour alone does not show the focus.
local function draw_arrows(x, y, reach)
  draw.polygon({ x - reach, y + SIZE / 2, x - reach - 14, y + 3, x - reach - 14, y + SIZE - 3 }, true)
  draw.polygon({ x + reach, y + SIZE / 2, x + reach + 14, y + 3, x + reach + 14, y + SIZE - 3 }, true)
end

return {
  phase = "render",
  after = { "draw_hud" },
  query = { "button", "widget" },
  each = function(e)
    local button, widget = e.button, e.widget
    if button.style ~= "vector" or not widget.visible or world.count("shoal.options") > 0 then return end
    local x, y = widget.at_x + widget.at_width / 2, widget.at_y + (widget.at_height - SIZE) / 2
    local colour = widget.focused and gold or text
    local label = tr(button.text:match "^@([%w_.]+)", { n = #players.list() }) -- one label shows the number of players
    draw.space "screen"
    draw.layer(13)
    draw.colour(colour[1], colour[2], colour[3], widget.focused and 1 or 0.65)
    strokes.draw(label, x, y, SIZE, "center")
    if widget.focused then draw_arrows(x, y, strokes.width(label, SIZE) / 2 + 22) end
  end,
}
