-- shoal.types: the field types in declarations. A type is written as `t.entity`, `t.i32(100)`, `t.vec2(1, 2)` or
-- `t.enum { "calm", "angry" }`, with an optional table { min, max, nan, unit, doc, cascade } as last argument. A list
-- of up to 8 values is t.list(TYPE, 8). The wrappers t.many, t.single, t.metadata and t.relation declare components.
local need = ...
local abi = need("base/abi")
local report = need("base/report")
local weak_table = need("base/weak_table")
local number = need("math/number")
local vector = need("math/vector")
local api_hints = need("messages/api_hints")

---@class engine.Meaning the type, the default and the options of a field
---@field type string one of abi.type_names or vec2, vec3, vec4, quat, list
---@field default any nil for entity and mat4; an array for a list
---@field element? engine.Meaning type of a list's values
---@field capacity? integer maximum number of a list's values
---@field choices? string[] choices of an enum
---@field min? number
---@field max? number
---@field unit? string unit of the values, such as "rad"
---@field doc? string description shown to users
---@field cascade? integer flags of an entity field
---@field nan? boolean true if the field can store NaN

---@class engine.types
---@field types shoal.Types
local M = {}
-- Metatable of types: of `t.f32` itself, and of t.f32(100), a type with a default.
local Type = { __metatable = false }
local Wrapper = { __metatable = false }
-- Scripts get empty tables for types and wrappers, so that they cannot change them. These maps contain the contents by
-- empty table: { type, default, … } for types, { kind, fields } for wrappers.
local type_declarations, wrappers = weak_table("k"), weak_table("k")
local VECTORS = { vec2 = 2, vec3 = 3, vec4 = 4, quat = 4 }
local OPTIONS = { min = "number", max = "number", unit = "string", doc = "string", cascade = "string", nan = "boolean" }
local CASCADES = { keep = 0, clear = 32, remove = 64, destroy = 128 } -- flags FIELD_CASCADE_… of schema/schema.h

-- Returns true if `value`, the last argument of a type, is a table of options; raises an error if an option is invalid.
-- `name`: name of the type.
local function is_options(value, name)
  if type(value) ~= "table" or #value > 0 or getmetatable(value) or next(value) == nil then
    return false
  end
  for option, v in pairs(value) do
    if OPTIONS[option] and type(v) ~= OPTIONS[option] then
      report.raise("%s of shoal.types.%s must be a %s, got %s", option, name, OPTIONS[option], report.describe(v))
    elseif not OPTIONS[option] then
      report.raise("shoal.types.%s has no option %s%s; available: %s", name, report.show(option),
        report.suggest(option, OPTIONS), report.join_names(OPTIONS))
    end
  end
  return true
end

local function set_read_only(metatable, contents, subject)
  function metatable.__index(self, name)
    return contents[self][name]
  end
  function metatable.__newindex(_, name)
    report.raise("%s of %s cannot be assigned: pass options to the function, t.f32(1, { min = 0 })",
      report.show(name), subject)
  end
  return function(fields)
    local self = setmetatable({}, metatable)
    contents[self] = fields
    return self
  end
end

local create_type, create_wrapped_fields = set_read_only(Type, type_declarations, "a type"),
  set_read_only(Wrapper, wrappers,
  "a wrapper such as t.many")

local function check_vector_default(base, name, values)
  local count = VECTORS[base]
  if type(values[1]) == "table" then
    values = values[1]
  elseif vector.get_kind(values[1]) then
    local kind = vector.describe_value(values[1])
    values = vector.list(values[1]) --[[@as number[] ]]
    if #values ~= count then
      report.raise("the default of %s must be a %s, got %s", name, base, kind)
    end
  end
  local out = {}
  for i = 1, count do
    out[i] = values[i] or (name == "quat" and i == 4 and 1) or 0
    if type(out[i]) ~= "number" then
      report.raise("the default of %s must be %d numbers, got %s", name, count, vector.describe_got(out[i]))
    end
  end
  return out
end

local function check_enum_choices(list)
  if type(list) ~= "table" then
    report.raise("enum: the choices must be a list, got %s: use t.enum { \"calm\", \"angry\" }", report.describe(list))
  end
  for _, name in ipairs(list) do
    if type(name) ~= "string" or name == "" or name:find("\n") then
      report.raise("enum: a choice must be a non-empty string of one line, got %s", report.describe(name))
    end
  end
  return list
end

local function check_default(name, value)
  local expected = name == "bool" and "boolean" or (name == "string" or name == "asset") and "string" or "number"
  if value == nil then
    return ({ boolean = false, string = "", number = 0 })[expected]
  end
  if type(value) ~= expected then
    report.raise("the default of %s must be a %s, got %s", name, expected, report.describe(value))
  end
  local range = number.RANGES[name]
  if range and (value % 1 ~= 0 or value < range[1] or value > range[2]) then
    report.raise("the default of %s must be an integer from %d to %d, got %s", name, range[1], range[2],
      report.describe(value))
  end
  return value
end

-- Returns the flags that determine what happens to a field when the entity in it is destroyed.
local function check_cascade(cascade, name)
  if cascade ~= nil and name ~= "entity" and name ~= "relation" then
    report.raise("shoal.types.%s cannot have cascade: only an entity field can", name)
  elseif cascade ~= nil and not CASCADES[cascade] then
    report.raise("unknown cascade %s of shoal.types.%s%s; available: keep, clear, remove, destroy",
      report.show(cascade),
      name, report.suggest(cascade, CASCADES))
  end
  return CASCADES[cascade or "keep"]
end

-- Raises an error unless a field of this type can store NaN.
local function check_nan(options, name)
  if options.nan and name ~= "f32" and name ~= "f64" and not VECTORS[name] then
    report.raise("shoal.types.%s cannot have nan: only t.f32, t.f64 and vectors can store NaN", name)
  elseif options.nan and (options.min or options.max) then
    report.raise("shoal.types.%s cannot have both nan and a range: a range excludes NaN", name)
  end
  return options.nan
end

function Type.__call(self, ...)
  local values = { ... }
  if self.type == "list" then
    report.raise("a list cannot be called: pass the default to t.list, t.list(t.u32, %d, { 1, 2 })", self.capacity)
  end
  local options = is_options(values[#values], self.type) and table.remove(values) or {}
  if #values > 1 and not VECTORS[self.type] then
    report.raise("t.%s: expected a default and options: use t.%s(0, { min = 0, max = 1 })", self.type, self.type)
  end
  local new_type = { type = self.type, min = options.min, max = options.max, unit = options.unit, doc = options.doc,
    cascade = check_cascade(options.cascade, self.type), nan = check_nan(options, self.type) }
  if VECTORS[self.type] then
    new_type.default = check_vector_default(self.type, self.type, values)
  elseif self.type == "enum" then
    new_type.choices = check_enum_choices(values[1])
    new_type.default = new_type.choices[1]
  elseif self.type == "entity" or self.type == "mat4" then
    new_type.default = nil
  else
    new_type.default = check_default(self.type, values[1])
  end
  return create_type(new_type)
end

local function create_wrapper(kind)
  return function(fields)
    if type(fields) ~= "table" then
      report.raise("t.%s: expected a table of fields, got %s", kind, report.describe(fields))
    end
    return create_wrapped_fields { kind = kind, fields = fields }
  end
end

local RELATION = { many = "boolean", cascade = "string" }

-- Implements t.relation({ strength = 1 }, { many = false, cascade = "destroy" }): wraps the fields of a component, and
-- adds the entity field `target`.
local function declare_relation(fields, options)
  if type(fields or {}) ~= "table" or type(options or {}) ~= "table" then
    report.raise("t.relation: expected a table of fields, which may be empty, and options: use t.relation({}, { "
      .. "cascade = \"destroy\" })")
  end
  for name, v in pairs(options or {}) do
    if not RELATION[name] then
      report.raise("t.relation has no option %s%s; available: cascade, many", report.show(name),
        report.suggest(name, RELATION))
    elseif type(v) ~= RELATION[name] then
      report.raise("%s of t.relation must be a %s, got %s", name, RELATION[name], report.describe(v))
    end
  end
  local out = {}
  for name, field in pairs(fields or {}) do
    out[name] = field
  end
  if out.target ~= nil then
    report.raise("t.relation declares the field target itself: rename your field")
  end
  out.target = create_type { type = "entity", cascade = check_cascade(options and options.cascade
    or "remove", "relation") }
  return create_wrapped_fields { kind = options and options.many == false and "component" or "many", fields = out }
end

local MAX_VALUES = 63 -- a component has 64 columns, and a list uses one of them for the number of values

-- Returns the type of a list's values.
local function get_element_type(value)
  local element = type_declarations[value]
  if element == nil then
    report.raise("t.list: the first argument must be a type, got %s: use t.list(t.u32, 8)", report.show(value))
  elseif VECTORS[element.type] or element.type == "mat4" or element.type == "list"
    or element.type == "enum" and not element.choices then
    report.raise("t.list: values can be numbers, booleans, strings, enums, assets and entities, got %s",
      element.type == "enum" and "t.enum without choices" or "t." .. element.type)
  end
  return element
end

-- Raises an error if `v` cannot be value `i` of a list's default.
local function check_list_default(element, i, v)
  if element.type == "entity" then
    report.raise("t.list: a list of entities has no default: no entity exists yet")
  elseif element.type ~= "enum" then
    check_default(element.type, v)
    local is_outside = type(v) == "number" and (v < (element.min or -math.huge) or v > (element.max or math.huge))
    if is_outside then
      report.raise("t.list: value %d of the default is out of the range of the list, got %s: change the default or the "
        .. "range", i, report.show(v))
    end
    return
  end
  for _, choice in ipairs(element.choices or {}) do
    if choice == v then
      return
    end
  end
  report.raise("t.list: unknown choice %s%s; available: %s", report.show(v), report.suggest(v, element.choices),
    table.concat(element.choices or {}, ", "))
end

-- Implements t.list(t.u32, 8, { 1, 2 }): a list of up to 8 values. `default`: its first values, may be nil.
local function declare_list(value, capacity, default)
  local element = get_element_type(value)
  if type(capacity) ~= "number" or capacity % 1 ~= 0 or capacity < 1 or capacity > MAX_VALUES then
    report.raise("the capacity of t.list must be from 1 to %d, got %s: a component has at most 64 columns, and a list "
      .. "of n values uses n + 1", MAX_VALUES, report.describe(capacity))
  elseif default ~= nil and type(default) ~= "table" then
    report.raise("the default of t.list must be a list, got %s: use t.list(t.%s, %d, { … })", report.describe(default),
      element.type, capacity)
  end
  local values = {}
  for i, v in ipairs(default or {}) do
    check_list_default(element, i, v)
    values[i] = v
  end
  if #values > capacity then
    report.raise("too many values in the default of t.list: %d (at most %d): declare a larger capacity", #values,
      capacity)
  end
  return create_type { type = "list", element = element, capacity = capacity, default = values, unit = element.unit,
    doc = element.doc }
end

---@type table<string, any>
local types = { list = declare_list, relation = declare_relation, many = create_wrapper("many"),
  single = create_wrapper("single"),
  metadata = create_wrapper("metadata") }
for _, name in ipairs(abi.type_names) do
  types[name] = create_type { type = name,
    default = name ~= "entity" and name ~= "enum" and name ~= "mat4" and check_default(name) or nil }
end
for name in pairs(VECTORS) do
  types[name] = create_type { type = name, default = check_vector_default(name, name, {}) }
end

M.types = setmetatable({}, {
  __index = function(_, name)
    local field_type = types[name]
    if not field_type then
      report.raise("unknown type %s%s; available: %s", report.show(name),
        api_hints.suggest("type", name, types), report.join_names(types))
    end
    return field_type
  end,
  __newindex = function(_, name)
    report.raise("shoal.types.%s cannot be assigned: shoal.types is read-only", report.show(name))
  end,
  __metatable = false,
})

-- Returns true for a type of shoal.types, with or without a default.
---@param value any
---@return boolean
function M.is_type(value)
  return type_declarations[value] ~= nil
end

-- Splits a component's declaration into kind and fields.
---@param value any
---@return string kind "component", "many", "single" or "metadata"
---@return any fields `value` itself, unchecked, if it is not a wrapper
function M.unwrap(value)
  local wrapper = wrappers[value]
  if wrapper then
    return wrapper.kind, wrapper.fields
  end
  return "component", value
end

-- Returns the type and default of a field, { type, default, choices, min, max, unit, doc, cascade }. `value`: a type,
-- or a default that implies one (100, true, "text", a vector, { 1, 2 }). Returns nil for any other value.
---@param value any
---@return engine.Meaning?
function M.get_field(value)
  if M.is_type(value) then
    return type_declarations[value]
  end
  if type(value) == "number" then
    return { type = "f32", default = value }
  elseif type(value) == "boolean" then
    return { type = "bool", default = value }
  elseif type(value) == "string" then
    return { type = "string", default = value }
  elseif vector.get_kind(value) then
    return { type = vector.get_kind(value), default = vector.list(value) }
  elseif type(value) == "table" and #value >= 2 and #value <= 4 and getmetatable(value) == nil then
    return { type = "vec" .. #value, default = check_vector_default("vec" .. #value, "a vector", value) }
  end
  return nil
end

-- Returns a copy of the type `base_type` with a different default. Raises an error if the default does not fit.
---@param base_type any a type, or a default that implies one
---@param default any
---@return any
function M.set_default(base_type, default)
  local field_type = M.get_field(base_type) --[[@as engine.Meaning]]
  local copy = {}
  for key, v in pairs(field_type) do
    copy[key] = v
  end
  if field_type.choices then
    copy.choices = { default }
    for _, choice in ipairs(field_type.choices) do
      copy.choices[#copy.choices + 1] = choice ~= default and choice or nil
    end
    copy.default = #copy.choices == #field_type.choices and default
      or report.raise("the default must be one of %s, got %s", table.concat(field_type.choices, ", "),
        report.show(default))
  elseif VECTORS[field_type.type] then
    copy.default = check_vector_default(field_type.type, field_type.type, { default })
  else
    copy.default = check_default(field_type.type, default)
  end
  return create_type(copy)
end

return M
