-- Components that require other components: `requires = { "transform" }`. Checks the names after all components have
-- been added. C adds the required components (ecs/requirements.h).
local need = ...
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local components = need("schema/component")

---@class engine.requirements
local M = {}
local REMOVE, DESTROY = 64, 128 -- flags FIELD_CASCADE_… of schema/schema.h
local band = require("bit").band

local function fail(component, message, ...)
  local schema = component.schema
  local location = schema and schema.at
  local path = location and (component.functions and { "requires" } or { component.name:match("[^.]+$"), "requires" })
  local owner = component.plugin and " (plugin " .. component.plugin .. ")" or ""
  report.fail { message = string.format(message, ...) .. owner, file = location and location.file,
    line = location and report.find_line_of_path(location, unpack(path)) or 0, piece = "component " .. component.name }
end

-- Calls visit(name, via) once for each component that `name` requires, directly or through the component `via`.
---@param name string
---@param visit fun(required: string, via: string) `via`: component that directly requires it
function M.visit_required(name, visit)
  local visited = { [name] = true }
  local function visit_required(via)
    for _, required in ipairs(components.by_name[via] and components.by_name[via].requires or {}) do
      if not visited[required] then
        visited[required] = true
        visit(required, via)
        visit_required(required)
      end
    end
  end
  visit_required(name)
end

local function check_cycle(component, chain)
  for _, required in ipairs(component.requires or {}) do
    for i, ancestor in ipairs(chain) do
      if ancestor == required then
        fail(component, "cyclic requires: %s → %s: remove one of them", table.concat(chain, " → ", i), required)
      end
    end
    chain[#chain + 1] = required
    check_cycle(components.by_name[required], chain)
    chain[#chain] = nil
  end
end

local function check_name(component, required)
  local component_required = components.by_name[required]
  if not component_required and components.metadata[required] then
    fail(component, "%s requires %s, which is metadata and not always loaded: remove %s from requires", component.name,
      required, required)
  elseif not component_required then
    fail(component, "requires of %s: unknown component %s%s", component.name, report.show(required),
      components.hint(required))
  elseif component_required.kind ~= "component" then
    fail(component, "%s requires %s, which is %s: only plain components can be required", component.name, required,
      component_required.kind == "single" and "a singleton" or "a component with named instances")
  end
  for _, field in ipairs(component_required.fields) do
    if band(field.cascade, REMOVE + DESTROY) == REMOVE then
      fail(component, "%s requires %s, which is removed when the entity in its field %s is destroyed: use cascade = "
        .. "\"clear\" or \"destroy\" for %s.%s", component.name, required, field.name, required, field.name)
    end
  end
end

-- Raises an error if a name in `requires` is unknown or cannot be required, or if the requirements are cyclic.
function M.check()
  local names = sorted_keys(components.by_name)
  for _, name in ipairs(names) do
    for _, required in ipairs(components.by_name[name].requires or {}) do
      check_name(components.by_name[name], required)
    end
  end
  for _, name in ipairs(names) do
    check_cycle(components.by_name[name], { name })
  end
end

return M
