-- Widget trees of the engine's own screens: the options (kit/options.lua), the on-screen keyboard (kit/keyboard.lua),
-- and the menu and boxes of a match (kit/match_menu.lua, kit/match_boxes.lua).
local need = ...
local components = need("schema/component")
local world = need("world/world")

---@class engine.widget_tree
local M = {}

local KINDS = { "widget", "panel", "label", "button", "slider", "checkbox", "list", "entry", "bar" }

-- Returns the full name of a built-in component.
---@param name string
---@return string
function M.component_name(name)
  return components.find_builtin(name).name
end

-- Returns the text for a widget. A text that begins with "@" gets a space in front, because a widget would take it for
-- a reference to a string.
---@param text string
---@return string
function M.show_literally(text)
  return text:sub(1, 1) == "@" and " " .. text or text
end

-- Spawns a widget and its descendants as children of `parent`, and returns the widget. `node` contains the widget's
-- components by name, its child nodes as a list, and the fields `option`, `player_action` and `box_choice` with the
-- values of shoal.option, shoal.player_action and shoal.box_choice.
---@param parent shoal.Entity
---@param node table
---@return shoal.Entity
function M.spawn(parent, node)
  local parts = { transform = { parent = parent } }
  for _, name in ipairs(KINDS) do
    parts[M.component_name(name)] = node[name]
  end
  parts["shoal.option"], parts["shoal.player_action"] = node.option, node.player_action
  parts["shoal.box_choice"] = node.box_choice
  local e = world.api.spawn(nil, parts)
  for _, child in ipairs(node) do
    M.spawn(e, child)
  end
  return e
end

return M
