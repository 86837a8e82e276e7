-- Components that require others: `requires = { "transform" }`. Checks the names when all components are known. C adds
-- the required components (ecs/requirements.h).
local need = ...
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local component = need("schema/component")

---@class engine.requirements
local M = {}
local REMOVE, DESTROY = 64, 128 -- flags FIELD_CASCADE_… of schema/schema.h
local band = require("bit").band

local function fail(known, message, ...)
  local declared = known.schema
  local at = declared and declared.at
  local path = at and (known.functions and { "requires" } or { known.name:match("[^.]+$"), "requires" })
  local owner = known.plugin and " (plugin " .. known.plugin .. ")" or ""
  report.fail { message = string.format(message, ...) .. owner, file = at and at.file,
    line = at and report.line_of_path(at, unpack(path)) or 0, piece = "component " .. known.name }
end

-- Calls each(name, via) once for each component that `name` requires, directly or through the component `via`.
---@param name string
---@param each fun(required: string, via: string)
function M.each_required(name, each)
  local seen = { [name] = true }
  local function visit_required(of)
    for _, required in ipairs(component.by_name[of] and component.by_name[of].requires or {}) do
      if not seen[required] then
        seen[required] = true
        each(required, of)
        visit_required(required)
      end
    end
  end
  visit_required(name)
end

local function check_cycle(known, chain)
  for _, required in ipairs(known.requires or {}) do
    for i, seen in ipairs(chain) do
      if seen == required then
        fail(known, "cyclic requires: %s → %s: remove one of them", table.concat(chain, " → ", i), required)
      end
    end
    chain[#chain + 1] = required
    check_cycle(component.by_name[required], chain)
    chain[#chain] = nil
  end
end

local function check_name(known, required)
  local other = component.by_name[required]
  if not other and component.metadata[required] then
    fail(known, "%s requires %s, which is metadata and not always loaded: remove %s from requires", known.name,
      required, required)
  elseif not other then
    fail(known, "requires of %s: unknown component %s%s", known.name, report.plain(required), component.hint(required))
  elseif other.kind ~= "component" then
    fail(known, "%s requires %s, which is %s: only plain components can be required", known.name, required,
      other.kind == "single" and "a singleton" or "a component with named instances")
  end
  for _, field in ipairs(other.fields) do
    if band(field.cascade, REMOVE + DESTROY) == REMOVE then
      fail(known, "%s requires %s, which is removed when the entity in its field %s is destroyed: use cascade = "
        .. "\"clear\" or \"destroy\" for %s.%s", known.name, required, field.name, required, field.name)
    end
  end
end

-- Raises an error if a name in `requires` is unknown or cannot be required, or if the requirements are cyclic.
function M.check()
  local names = sorted_keys(component.by_name)
  for _, name in ipairs(names) do
    for _, required in ipairs(component.by_name[name].requires or {}) do
      check_name(component.by_name[name], required)
    end
  end
  for _, name in ipairs(names) do
    check_cycle(component.by_name[name], { name })
  end
end

return M
