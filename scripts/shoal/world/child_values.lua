-- Values for children in world.spawn: { children = { turret = { health = { hp = 5 } }, [2] = { … } } }. The keys are
-- names of children in the assemblage, or positions in a list.
local need = ...
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local components = need("schema/component")
local value = need("schema/value")
local assemblage = need("world/assemblage")

---@class engine.ChildValues
---@field at integer position of the child among the spawned entities, in the order of creation; the root has 0
---@field overrides table<string, any>

---@class engine.ChildValuesList
---@field [integer] engine.ChildValues
---@field count integer number of spawned entities

---@class engine.child_values
local M = {}

-- Returns the overrides of an entity as a table without a metatable (schema/value.lua).
---@param overrides table
---@return table
local function copy_overrides(overrides)
  if not value.may_run_code(overrides) then
    return overrides
  end
  local names = sorted_keys(components.by_name)
  names[#names + 1] = "children"
  return value.copy_plain(overrides, names)
end
M.plain_overrides = copy_overrides

-- Returns the values for children, keyed by child name. Throws if a child does not exist. `parent`: name of the
-- assemblage; nil for an entity without an assemblage.
local function index_values_by_name(parent, children, children_values)
  if type(children_values) ~= "table" then
    report.raise("world.spawn: children must be a table, got %s: use children = { turret = { health = { hp = 5 } } }",
      report.describe(children_values))
  elseif value.may_run_code(children_values) then
    children_values = value.copy_plain(children_values, sorted_keys(children))
  end
  local out = {}
  for key, child_overrides in pairs(children_values) do
    local name = type(key) == "number" and tostring(key) or key
    if not children[name] and next(children) == nil then
      report.raise("world.spawn: unknown child %s: %s has no children", report.show(name),
        parent or "an entity without an assemblage")
    elseif not children[name] then
      report.raise("world.spawn: %s has no child %s%s; available: %s", parent, report.show(name),
        report.suggest(name, children), report.join_names(children))
    elseif type(child_overrides) ~= "table" then
      report.raise("world.spawn: the values of the child %s must be a table of components, got %s: use %s = { health = "
        .. "{ hp = 5 } }", name, report.describe(child_overrides), name)
    end
    out[name] = copy_overrides(child_overrides)
  end
  return out
end

-- Appends the overrides of all descendants to `list`. `position`: position of the parent entity, whose assemblage is
-- `resolved`. Returns the position after the last descendant.
local function read_children(parent, resolved, position, children_values, check, list)
  local values = children_values ~= nil and index_values_by_name(parent, resolved and resolved.children
    or {}, children_values) or {}
  position = position + 1
  for _, name in ipairs(resolved and resolved.order or {}) do
    local overrides, child = values[name], resolved.children[name]
    local grandchildren_values
    if overrides then
      overrides, grandchildren_values = M.split(overrides)
      list[#list + 1] = { at = position, overrides = check(overrides) }
    end
    position = read_children(child.name, child, position, grandchildren_values, check, list)
  end
  return position
end

-- Splits the overrides of an entity. Returns the overrides of the entity itself, and the table of its children's
-- overrides; nil if the overrides contain no children.
---@param overrides table<string, any>
---@return table<string, any> own
---@return any children
function M.split(overrides)
  if overrides.children == nil then
    return overrides, nil
  end
  local own_overrides = {}
  for name, values in pairs(overrides) do
    if name ~= "children" then
      own_overrides[name] = values
    end
  end
  return own_overrides, overrides.children
end

-- Validates the values for the children of an assemblage and their descendants, and returns them as a list.
---@param name? string name of the assemblage
---@param children_values any values the children's overrides, by child
---@param check fun(overrides: table): table checks the overrides of one entity
---@return engine.ChildValuesList
function M.read(name, children_values, check)
  local list = {} ---@type engine.ChildValuesList
  list.count = read_children(name, name and assemblage.find(name), 0, children_values, check, list)
  return list
end

return M
