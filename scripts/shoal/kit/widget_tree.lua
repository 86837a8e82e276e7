-- Widget trees of the engine's own screens: the options (kit/options.lua) and the on-screen keyboard
-- (kit/keyboard.lua).
local need = ...
local components = need("schema/component")
local world = need("world/world")

---@class engine.widget_tree
local M = {}

local KINDS = { "widget", "panel", "label", "button", "slider", "checkbox", "list", "entry" }

-- Returns the full name of a built-in component.
---@param name string
---@return string
function M.component_name(name)
  return components.find_builtin(name).name
end

-- Spawns a tree of widgets as a child of `parent`, and returns its root. `node` contains components by name, `option`
-- for shoal.option, `player_action` for shoal.player_action, and a list of child nodes.
---@param parent shoal.Entity
---@param node table
---@return shoal.Entity
function M.spawn(parent, node)
  local parts = { transform = { parent = parent } }
  for _, name in ipairs(KINDS) do
    parts[M.component_name(name)] = node[name]
  end
  parts["shoal.option"], parts["shoal.player_action"] = node.option, node.player_action
  local e = world.api.spawn(nil, parts)
  for _, child in ipairs(node) do
    M.spawn(e, child)
  end
  return e
end

return M
