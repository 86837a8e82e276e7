-- shoal.types: how a schema says what a field is. `t.i32(100)`, `t.entity`, `t.enum { "calm", "angry" }`, `t.vec2(1, 2)`, with an
-- optional table of { min, max, unit, doc } at the end; and the wrappers t.many, t.single, t.metadata, t.alias.
local need = ...
local abi, report = need("abi"), need("report")

local M = {}
local Type = {} -- a field's type with its default; `t.f32` itself is one, and calling it gives another
local Wrapper = {}
local VECTORS = { vec2 = 2, vec3 = 3, vec4 = 4, quat = 4 }
local OPTIONS = { min = true, max = true, unit = true, doc = true }

local function is_options(value)
  if type(value) ~= "table" or #value > 0 or getmetatable(value) then
    return false
  end
  for name in pairs(value) do
    if not OPTIONS[name] then
      return false
    end
  end
  return next(value) ~= nil
end

local function new(fields)
  return setmetatable(fields, Type)
end

local function vector_default(base, name, values)
  local count = VECTORS[base]
  if type(values[1]) == "table" then
    values = values[1]
  end
  local out = {}
  for i = 1, count do
    out[i] = values[i] or (name == "quat" and i == 4 and 1) or 0
    if type(out[i]) ~= "number" then
      report.complain("%s takes %d numbers", name, count)
    end
  end
  return out
end

local function enum_choices(list)
  if type(list) ~= "table" or #list == 0 then
    report.complain("enum takes a list of names: t.enum { \"calm\", \"angry\" }")
  end
  if #list > 256 then
    report.complain("an enum has at most 256 names, this one has %d", #list)
  end
  local seen = {}
  for _, name in ipairs(list) do
    if type(name) ~= "string" or seen[name] then
      report.complain("enum: %s is not a name, or stands twice", report.plain(name))
    end
    seen[name] = true
  end
  return list
end

local function default_of(name, value)
  local expected = name == "bool" and "boolean" or (name == "string" or name == "asset") and "string" or "number"
  if value == nil then
    return ({ boolean = false, string = "", number = 0 })[expected]
  end
  if type(value) ~= expected then
    report.complain("the default of %s is a %s, not a %s", name, expected, type(value))
  end
  return value
end

function Type.__call(self, ...)
  local values = { ... }
  local options = is_options(values[#values]) and table.remove(values) or {}
  local made = { type = self.type, min = options.min, max = options.max, unit = options.unit, doc = options.doc }
  if VECTORS[self.type] then
    made.default = vector_default(self.type, self.type, values)
  elseif self.type == "enum" then
    made.choices = enum_choices(values[1])
    made.default = made.choices[1]
  elseif self.type == "entity" or self.type == "mat4" then
    made.default = nil
  else
    made.default = default_of(self.type, values[1])
  end
  return new(made)
end

local function wrapper(kind)
  return function(fields)
    if type(fields) ~= "table" then
      report.complain("t.%s takes a table of fields", kind)
    end
    return setmetatable({ kind = kind, fields = fields }, Wrapper)
  end
end

local types = { many = wrapper("many"), single = wrapper("single"), metadata = wrapper("metadata"), alias = wrapper("alias") }
for _, name in ipairs(abi.type_names) do
  types[name] = new { type = name, default = name ~= "entity" and name ~= "enum" and name ~= "mat4" and default_of(name) or nil }
end
for name in pairs(VECTORS) do
  types[name] = new { type = name, default = vector_default(name, name, {}) }
end

M.types = setmetatable({}, {
  __index = function(_, name)
    local found = types[name]
    if not found then
      report.complain("unknown type %s: there are %s", report.plain(name), report.names(types))
    end
    return found
  end,
  __newindex = function(_, name)
    report.complain("shoal.types.%s cannot be assigned", report.plain(name))
  end,
  __metatable = false,
})

M.VECTORS = VECTORS

function M.is_type(value)
  return getmetatable(value) == Type
end

-- A component's declaration: its kind and its table of fields.
function M.unwrap(value)
  if getmetatable(value) == Wrapper then
    return value.kind, value.fields
  end
  return "component", value
end

-- What a field's default stands for: { type, default, choices, min, max, unit, doc }, or nil when it means nothing.
function M.field(value)
  if M.is_type(value) then
    return value
  end
  if type(value) == "number" then
    return { type = "f32", default = value }
  elseif type(value) == "boolean" then
    return { type = "bool", default = value }
  elseif type(value) == "string" then
    return { type = "string", default = value }
  elseif type(value) == "table" and #value >= 2 and #value <= 4 and getmetatable(value) == nil then
    return { type = "vec" .. #value, default = vector_default("vec" .. #value, "a vector", value) }
  end
  return nil
end

return M
