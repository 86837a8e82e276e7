-- Replaces the plain names in declarations of an add-on with full names (base/scope.lua), in place.
local need = ...
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local components = need("schema/component")

---@class engine.full_names
local M = {}

local function expand_list(kind, names, addon)
  if type(names) ~= "table" then
    return scope.add_prefix(kind, names, addon)
  end
  for i = 1, #names do
    names[i] = scope.add_prefix(kind, names[i], addon)
  end
  return names
end

-- Replaces the keys of a table with their full names, in place.
local function expand_keys(kind, t, addon)
  for _, key in ipairs(type(t) == "table" and sorted_keys(t) or {}) do
    local full_name = scope.add_prefix(kind, key, addon)
    if full_name ~= key then
      t[full_name], t[key] = t[key], nil
    end
  end
end

local KIND_OF_FIELD = { category = "layer", emits = "event", mask = "layer", style = "style" }

-- Replaces names of the kind with their full names: `v` is a name or a list of names. Other strings are names of
-- assets.
local function expand_names(kind, v, addon)
  if type(v) == "table" and getmetatable(v) == nil then
    for i = 1, #v do
      v[i] = expand_names(kind, v[i], addon)
    end
    return v
  end
  local full_name = scope.add_prefix(kind, v, addon)
  return full_name == v and scope.add_prefix("asset", v, addon) or full_name
end

local expand_values

local function copy(v)
  if type(v) ~= "table" or getmetatable(v) ~= nil then
    return v
  end
  local out = {}
  for key, inner_value in pairs(v) do
    out[key] = copy(inner_value)
  end
  return out
end

-- Replaces the names of assets, events, collision layers, styles and localized strings in the values of a component.
function expand_values(values, addon)
  if type(values) == "function" then
    return scope.wrap(function(...) return expand_values(copy(values(...)), addon) end, addon)
  elseif type(values) ~= "table" or getmetatable(values) ~= nil then
    return scope.add_prefix("asset", values, addon)
  end
  for key, v in pairs(values) do
    if KIND_OF_FIELD[key] then
      values[key] = expand_names(KIND_OF_FIELD[key], v, addon)
    elseif key == "bind" then
      values[key] = scope.add_path_prefix(v, addon)
    elseif type(v) == "string" and v:find("^@") then
      values[key] = v:gsub("^@([%w_%-%.]+)", function(name) return "@" .. scope.add_prefix("text", name, addon) end)
    else
      values[key] = expand_values(v, addon)
    end
  end
  return values
end

local function expand_components(parts, addon)
  if type(parts) ~= "table" then
    return parts
  end
  expand_keys("component", parts, addon)
  for name, values in pairs(parts) do
    parts[name] = expand_values(values, addon)
  end
  return parts
end

local RECORD = { is = true, components = true, without = true, children = true, states = true, doc = true }

-- Replaces the names in an assemblage, or in a scene entity, with their full names.
---@param declaration any
---@param addon engine.Addon
function M.assemblage(declaration, addon)
  if type(declaration) ~= "table" then
    return
  end
  declaration.is = expand_list("assemblage", declaration.is, addon)
  declaration.assemblage = scope.add_prefix("assemblage", declaration.assemblage, addon)
  declaration.without = expand_list("component", declaration.without, addon)
  expand_components(declaration.components, addon)
  for name, state in pairs(type(declaration.states) == "table" and declaration.states or {}) do
    if name ~= "initial" then
      expand_components(state, addon)
    end
  end
  for _, child in pairs(type(declaration.children) == "table" and declaration.children or {}) do
    M.assemblage(child, addon)
    if type(child) == "table" and child.components == nil then
      for _, key in ipairs(sorted_keys(child)) do
        local full_name = scope.add_prefix("component", key, addon)
        if not RECORD[key] and (full_name ~= key or components.by_name[key]) then
          local values = child[key]
          child[key] = nil
          child[full_name] = expand_values(values, addon)
        end
      end
    end
  end
end

-- Replaces the names in a scene with their full names.
---@param scene any
---@param addon engine.Addon
function M.scene(scene, addon)
  for _, item in ipairs(type(scene) == "table" and type(scene.entities) == "table" and scene.entities or {}) do
    M.assemblage(item, addon)
  end
  if type(scene) == "table" and type(scene.start) == "function" then
    scene.start = scope.wrap(scene.start, addon)
  end
end

local QUERY_ROLES = { without = true, any = true, optional = true }

local function expand_query(query, addon)
  if type(query) ~= "table" then
    return
  end
  expand_list("component", query, addon)
  expand_keys("component", query, addon)
  for role in pairs(QUERY_ROLES) do
    query[role] = expand_list("component", query[role], addon)
  end
end

-- Replaces the names in the declaration of a system or a behaviour with their full names.
---@param declaration any
---@param addon engine.Addon
function M.system(declaration, addon)
  if type(declaration) ~= "table" then
    return
  end
  expand_query(declaration.query, addon)
  for _, query in pairs(type(declaration.queries) == "table" and declaration.queries or {}) do
    expand_query(query, addon)
  end
  expand_keys("event", declaration.on, addon)
  expand_keys("component", declaration.when, addon)
  declaration.after, declaration.before = expand_list("system", declaration.after, addon),
    expand_list("system", declaration.before, addon)
  declaration.scene = expand_list("scene", declaration.scene, addon)
end

local STEP_EVENTS = { emit = true }

-- Replaces the event and component names in sequence steps with their full names.
---@param steps any
---@param addon engine.Addon
function M.sequence(steps, addon)
  for _, step in ipairs(type(steps) == "table" and steps or {}) do
    for key, v in pairs(type(step) == "table" and step or {}) do
      if type(v) == "function" then
        step[key] = scope.wrap(v, addon)
      elseif type(v) == "table" then
        M.sequence(v, addon)
      elseif STEP_EVENTS[key] then
        step[key] = scope.add_prefix("event", v, addon)
      elseif key == "tween" then
        step[key] = scope.add_path_prefix(v, addon)
      end
    end
  end
end

return M
