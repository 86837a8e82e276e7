-- Reports valid values that cannot have the intended effect: fractions in integer fields, angles beyond a full turn,
-- unknown events in `emits`, unknown fields in `bind`, and unknown localized strings ("@key"). Without this check, such
-- a mistake would be noticed late or never. An unknown field in `bind` is an error; all other mistakes are
-- warnings. Checks literals in function calls (load/literals.lua), assemblages, and scenes.
local need, native = ...
local report = need("base/report")
local number = need("math/number")
local components = need("schema/component")
local event = need("world/event")
local plugins = need("world/plugins")

---@class engine.declared_values
-- `find_missing_text(key)` returns the end of the message about a missing text, or nil if the text exists. Set by
-- kit/game_strings.lua.
---@field find_missing_text fun(key: string): string?
local M = {}

local WIDGETS = { button = true, slider = true, checkbox = true, list = true, entry = true }
local BINDS = { slider = true, checkbox = true, list = true, entry = true, bar = true }
local TEXTS = { -- component → fields that may contain references to localized strings, "@key"
  text = { text = true }, label = { text = true }, button = { text = true }, slider = { text = true },
  checkbox = { text = true }, list = { text = true, items = true }, entry = { placeholder = true },
  bar = { text = true },
}
local logged = {}

function M.find_missing_text()
end

-- Logs a warning, unless this VM or a previous one has already logged the same warning.
---@param file string
---@param line integer
---@param message string
function M.warn(file, line, message)
  local text = string.format("%s:%d: %s", file, line, message)
  if not logged[text] and not native.is_silent then
    logged[text] = true
    native.log("warn", text)
  end
end

-- Reports a problem that M.find_problem returned: raises an error if `is_error`, otherwise logs a warning.
---@param file string
---@param line integer
---@param problem string
---@param is_error boolean?
function M.report(file, line, problem, is_error)
  if is_error then
    report.fail { message = problem, file = file, line = line, piece = file }
  end
  M.warn(file, line, problem)
end

-- Returns the name of the first field whose value contains NaN, or nil if no value contains NaN. NaN in a declaration
-- is always a mistake, because every entity would start with NaN.
---@param component engine.Component
---@param values any
---@return string? field
function M.find_nan(component, values)
  if type(values) ~= "table" then
    return values ~= values and component.writable[1] and component.writable[1].field.name or nil
  end
  for _, item in ipairs(component.writable) do
    local name = item.base or item.field.name
    local v = values[name]
    if v ~= v then
      return name
    end
    for _, part in pairs(item.base and type(v) == "table" and v or {}) do
      if part ~= part then
        return name
      end
    end
  end
end

local function describe_missing_event(component, name)
  local names = {}
  for event_name in pairs(event.by_name) do
    names[event_name] = not event_name:find("^shoal%.") or nil
  end
  return string.format("%s.emits: unknown event %s%s", component.name, name, report.hint(name, names))
end

-- Returns true if a widget can show and write the field (is_writable in ui/events.c).
local function is_bindable(field)
  return field.type ~= "entity" and field.type ~= "mat4" and not field.read_only and not field.list
end

-- Returns the problem with the path "singleton.field" or "component.field"; nil if the path is valid. Does not check
-- instance names, nor that the widget has the field `of`, which a path to a component requires: both may be set at
-- run time.
local function find_unknown_field(component, path)
  local head, name = path:match("^([^.]*)%.?(.*)$")
  local target, names = components.by_name[head], {}
  if components.metadata[head] or head == "shoal" then
    return
  elseif not target then
    for component_name, candidate in pairs(components.by_name) do
      names[component_name] = (candidate.kind == "single" or candidate.schema) and not component_name:find("^shoal%.")
        or nil
    end
    return string.format("%s.bind: %s: unknown singleton or component %s%s", component.name, path, head,
      report.hint(head, names))
  end
  name = target.kind == "many" and not target.by_name[name] and name:match("^[^.]*%.(.+)$") or name
  for _, field in ipairs(target.fields) do
    names[field.name] = is_bindable(field) and not field.hidden or nil
  end
  if not target.by_name[name] or not is_bindable(target.by_name[name]) then
    return string.format("%s.bind: %s has no writable field %s%s", component.name, head, name, report.hint(name, names))
  end
end

local function find_key_problem(component, field, v)
  for line in v:gmatch("[^\n]+") do
    local key = line:match("^@([%w_][%w_%-%.]*)$") or line:match("^@([%w_][%w_%-%.]*) {")
    local problem = key and M.find_missing_text(key)
    if problem then
      return string.format("%s.%s: %s", component.name, field, problem)
    end
  end
end

-- Returns the problem with a value of a field, and true if it is an error; nil if the value is plausible. A missing
-- plugin may declare a field that a path in `bind` names, so an unknown field is an error only if no plugin is missing.
---@param component engine.Component
---@param field string
---@param v any
---@return string? problem
---@return boolean? is_error
function M.find_problem(component, field, v)
  local field_type = component.by_name[field]
  if not field_type then
    return
  elseif type(v) == "number" and number.RANGES[field_type.type] and v % 1 ~= 0 and v - v == 0 then
    return string.format("%s.%s must be an integer, got %s: the fraction is dropped", component.name, field,
      report.describe(v))
  elseif type(v) == "number" and field_type.is_angle
    and number.find_angle_problem(component.name .. "." .. field, v) then
    return number.find_angle_problem(component.name .. "." .. field, v)
  elseif type(v) ~= "string" or v == "" or component.schema then
    return
  elseif field == "emits" and WIDGETS[component.name] then
    return not event.by_name[v] and describe_missing_event(component, v) or nil
  elseif field == "bind" and BINDS[component.name] then
    return find_unknown_field(component, v), #plugins.missing == 0
  elseif TEXTS[component.name] and TEXTS[component.name][field] then
    return find_key_problem(component, field, v)
  end
end

-- Reports every field in `values` for which M.find_problem returns a problem. `get_location(field)` returns the
-- file and the line of the field. `strings_only`: checks only strings, for callers that report fractions themselves.
---@param component engine.Component
---@param values any
---@param get_location fun(field: string): string, integer
---@param strings_only? boolean
function M.check(component, values, get_location, strings_only)
  for _, item in ipairs(type(values) == "table" and component.writable or {}) do
    local v = item.field and values[item.field.name]
    local is_checked = item.field and not (strings_only and type(v) ~= "string")
    local problem, is_error
    if is_checked then
      problem, is_error = M.find_problem(component, item.field.name, v)
    end
    if problem then
      local file, line = get_location(item.field.name)
      M.report(file, line, problem, is_error)
    end
  end
end

return M
