-- The most recent chat lines of a match, at the left edge of the screen, above the entry in which players type. C
-- removes a line after several seconds (host/match_status.c).
local need = ...
local abi = need("base/abi")
local state = need("base/vm_state")
local access = need("kit/access")
local ui = need("kit/ui")
local widget_tree = need("kit/widget_tree")
local vector = need("math/vector")
local world = need("world/world")
local ffi = abi.ffi

---@class engine.match_chat
local M = {}
local LINES = 6 -- equal to MATCH_CHAT_LINES_SHOWN in C
-- Lengths are for a text size of 22.
local MAX_WIDTH, BOTTOM = 560, 118 -- maximum width of a line; distance of the last line from the bottom of the screen
local TEXT_SIZE = 0.75 -- text size relative to the theme's text size
local BYTE_WIDTH = 0.5 -- estimated width of a character per byte of UTF-8, relative to the text size

local function spawn_line(root, text, colour, scale)
  local text_size = TEXT_SIZE * ui.size * access.get_text_scale()
  local max_width = math.min(MAX_WIDTH * scale * access.get_text_scale(), state.config.width * 0.8)
  local is_long = #text * BYTE_WIDTH * text_size > max_width
  local red, green, blue = bit.rshift(colour, 16), bit.band(bit.rshift(colour, 8), 255), bit.band(colour, 255)
  widget_tree.spawn(root, { widget = {},
    panel = { layout = "row", style = "box", gap = 8 * scale, padding = 7 * scale },
    { bar = { colour = vector.api.vec4(red / 255, green / 255, blue / 255, 1) }, widget = { width = 4 * scale } },
    { label = { text = ("[size=%d%%]"):format(TEXT_SIZE * 100) .. text:gsub("%[", "[["), markup = true,
      wrap = is_long }, widget = { width = is_long and max_width or 0 } } })
end

local shown ---@type shoal.Entity? root of the lines; nil: there are no lines

-- Shows the lines of the host.
function M.update()
  local lines, scale = abi.match_menu.chat, ui.size / 22
  if shown then
    shown:destroy()
    shown = nil
  end
  if lines[0].text[0] == 0 then
    return
  end
  shown = world.api.spawn(nil, { transform = { y = -BOTTOM * scale },
    [widget_tree.component_name("panel")] = { style = "plain", padding = 0, gap = 4 * scale, align = "start",
      keys = false },
    [widget_tree.component_name("widget")] = { anchor = "bottom_left", margin = 16 * scale, layer = 1 } })
  for i = 0, LINES - 1 do
    if lines[i].text[0] ~= 0 then
      spawn_line(shown, ffi.string(lines[i].text), lines[i].colour, scale)
    end
  end
end

return M
