-- Draws captions on a strip along the lower edge of the window.
local M = {}

-- Height of the strip and size of its text, for a picture 720 pixels high. Leave the strip's area free of content.
M.HEIGHT = 40
local TEXT, MARGIN, PICTURE_HEIGHT = 20, 24, 720
local MIN_TEXT = 16 -- minimum text size in pictures that are less than 720 pixels high and shown in their own size

-- Draws the strip with `text` in its middle. Call this in the render phase. The text may contain markup, such as
-- "[prompt=jump]". `options`: `left` and `right`, texts at the ends of the strip; `width` and `height` of the game's
-- picture (1280 and 720); `enlarged`, true if the window enlarges the picture.
function M.draw(text, options)
  options = options or {}
  local width, height = options.width or 1280, options.height or PICTURE_HEIGHT
  local scale = height / PICTURE_HEIGHT
  local size = options.enlarged and TEXT * scale or math.max(MIN_TEXT, TEXT * scale)
  local strip, margin = math.max(M.HEIGHT * scale, size * 2), MARGIN * scale
  local left, top, window_width, window_height = window.area()
  draw.space("screen")
  draw.layer(120)
  draw.blend("alpha")
  draw.font()
  draw.colour(0.02, 0.03, 0.06, 0.82)
  draw.rect(left, top + window_height - strip, window_width, strip)
  draw.text_style { markup = true, valign = "middle" }
  draw.colour(0.91, 0.94, 1)
  local y = top + window_height - strip / 2
  draw.text(text, width / 2, y, size, "center")
  if options.left then draw.text(options.left, margin, y, size) end
  if options.right then draw.text(options.right, width - margin, y, size, "right") end
  draw.text_style()
end

return M
