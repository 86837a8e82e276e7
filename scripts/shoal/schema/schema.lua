-- Schemas of components, singletons, events and behaviours: converts the declarations in files to C structs. `read`
-- converts a declaration to the C description that plugins pass, so declarations in Lua and in plugins follow the same
-- rules (schema/schema_build.h). Only `declare` changes the world.
local need, native = ...
local abi = need("base/abi")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local number = need("math/number")
local types = need("schema/types")
local ffi, C = abi.ffi, abi.C
local bit = require("bit")

---@class engine.Field a column
---@field name string "hp"; "tint.x" for a part of a vector; "colors.r" for a field of a record
---@field base? string for a part of a vector or a column of a list: the name of the vector or list, "tint"
---@field list? integer for a column of a list: 0 for the number of values, else the number of the value
---@field list_range? engine.Range range of the list's values
---@field type string one of abi.type_names
---@field column integer index of the column, from 0
---@field choices? string[] choices of an enum
---@field hidden boolean true if scripts cannot access the field
---@field read_only boolean true if only the engine writes the field
---@field derived? boolean the field has no column; it is calculated when it is read (schema/schema.h)
---@field cascade integer FIELD_CASCADE_ flags of an entity field
---@field quat? boolean true for a part of a quaternion
---@field layers? boolean true if scripts can assign layer names (schema/collision_layers.lua)
---@field range? engine.Range from min and max: every write is clamped to it (ecs/ranges.h)
---@field is_angle? boolean true if the field's unit is "rad"
---@field nan_default? number stored for NaN, if the field rejects it (FIELD_REJECTS_NAN) and has no range
---@field min_valid? integer first valid number: smaller numbers are stored, with a warning (schema/component.lua)

---@class engine.Schema a checked declaration
---@field name string
---@field kind "component"|"many"|"single"|"event"|"metadata"
---@field fields engine.Field[]
---@field ranges? { name: string, min?: number, max?: number }[] fields with both limits; for settings, all fields
---@field migrate? function
---@field at engine.At
---@field built C.schema_t schema that C built from the declaration; freed after everything has been declared
---@field doc? string description shown to users
---@field renamed_from? table<string, string[]> current name of a field → old names
---@field moved? table<string, table<string, string[]>> source component → current name of a field → old names in it
---@field was? string[] old names of the component itself
---@field given? table[] for one of Shoal's own schemas: the fields passed to M.define
---@field can_be_replaced? boolean for one of Shoal's own schemas: a game may declare a schema of the same name
---@field loaded? boolean for metadata: true if the game runs with --metadata
---@field requires? string[] names of the components that this component requires, as declared

---@class engine.schema
---@field entity_methods string[]
---@field SENT string name of the hidden event field that records whether e:send emitted the row
local M = { SENT = "sent_to_entity" }

-- Names of entity methods, which components cannot have.
M.entity_methods = {}
for name in ffi.string(C.schema_entity_methods()):gmatch("%S+") do
  M.entity_methods[#M.entity_methods + 1] = name
end

local CASCADES = 224      -- equal to FIELD_CASCADES in schema/schema.h
-- Flags of fields, equal to the constants in schema/schema.h.
local FIELD_IS_AXIS = 256
local FIELD_IS_COUNT, FIELD_IS_ELEMENT, FIELD_REJECTS_NAN = 512, 1024, 2048
local MAX_DEPTH = 8       -- maximum depth of nested records
local KIND = { component = 0, many = 1, single = 2, event = 3, metadata = 0 }
local NOT_FIELDS = { renamed_from = true, migrate = true, requires = true }
local MAX_REQUIRED = 8    -- equal to SHOAL_MAX_NAMES in engine/include/shoal/types.h

-- Returns true if `name` declares a field. `doc` declares one only if its value is a type: a string is the description
-- of the component.
local function is_field(fields, name)
  return not NOT_FIELDS[name] and (name ~= "doc" or type(fields.doc) ~= "string")
end

-- Returns the fields of a C schema as an array of { name, type, column, choices, read_only, hidden, derived }. Derived
-- fields, which have no column, come last.
---@param schema C.schema_t
---@return engine.Field[]
function M.list_fields(schema)
  local out = {}
  for i = 0, schema.field_count + schema.derived_count - 1 do
    local column = schema.fields[i]
    local type_name = abi.type_names[column.type]
    local field = { name = ffi.string(column.name), type = type_name, column = i,
      derived = i >= schema.field_count or nil, cascade = bit.band(column.flags, CASCADES),
      names = type_name == "asset" and "asset" or nil,
      hidden = column.flags % 2 == 1, read_only = math.floor(column.flags / 2) % 2 == 1 }
    if math.floor(column.flags / 4) % 4 > 0 then -- FIELD_HAS_MIN or FIELD_HAS_MAX is set
      field.range = { low = column.low, high = column.high, default = column.initial, column = i,
        min = math.floor(column.flags / 4) % 2 > 0 and column.min or -math.huge,
        max = math.floor(column.flags / 8) % 2 > 0 and column.max or math.huge }
    end
    field.is_angle = column.unit ~= nil and ffi.string(column.unit) == "rad" or nil
    if not field.range and bit.band(column.flags, FIELD_REJECTS_NAN) ~= 0 then
      field.nan_default = column.initial
    end
    local is_list_column = bit.band(column.flags, FIELD_IS_COUNT + FIELD_IS_ELEMENT) ~= 0
    if is_list_column then -- values are clamped when they are stored (value.check_element)
      field.list_range, field.range = field.range, nil
    end
    if math.floor(column.flags / FIELD_IS_AXIS) % 2 == 1 then
      field.base = field.name:match("^(.*)%.%a$")
    elseif is_list_column then
      local suffix
      field.base, suffix = field.name:match("^(.*)%.(%w+)$")
      field.list, field.hidden = tonumber(suffix) or 0, true
    end
    if field.type == "enum" then
      field.choices = {}
      local choice = column.choices
      for k = 1, column.choice_count do
        field.choices[k] = ffi.string(choice)
        choice = choice + #field.choices[k] + 1
      end
    end
    out[#out + 1] = field
  end
  return out
end

-- Builds the C schema from the result of `describe`; the VM owns the schema. If the description is invalid, returns nil
-- and the number of the invalid field, counted from 1; abi.error contains the message.
---@return any schema a `schema_t *`
---@return integer? invalid_field
local function build_schema(description)
  local invalid_index = ffi.new("uint32_t[1]")
  local schema = C.vm_build_schema(abi.vm, description.pointer, invalid_index, abi.error)
  if schema == nil then
    return nil, invalid_index[0] + 1
  end
  return schema
end

-- Fills the C description of one field (shoal_field, engine/include/shoal/types.h). Appends to `references` the strings
-- to which the description points, so that they are not collected before C has copied them.
local function describe_field(out, range, field, references)
  local default = field.default
  references[#references + 1] = { field.name, field.unit, field.doc, field.renamed_from }
  out.name, out.type = field.name, abi.type_ids[field.type]
  out.unit, out.doc, out.renamed_from = field.unit, field.doc, field.renamed_from
  out.flags = field.flags or field.cascade or 0
  if field.type == "enum" then
    local choices = table.concat(field.choices or {}, "\n")
    references[#references + 1], out.default_string = choices, choices
    -- Only enum values in lists have a default; other enums start with their first choice.
    out.default_number = type(default) == "number" and default or 0
  elseif type(default) == "table" then
    for i, v in ipairs(default) do
      out.default_vector[i - 1] = v
    end
  elseif type(default) == "string" then
    references[#references + 1], out.default_string = default, default
  elseif default then
    out.default_number = default == true and 1 or default
  end
  range.has_min, range.min = field.min ~= nil, field.min or 0
  range.has_max, range.max = field.max ~= nil, field.max or 0
  range.allows_nan = field.nan or false
end

-- Converts a declaration to its C description. `fields`: an array of { name, type, default, choices, min, max, unit,
-- doc, renamed_from } in the order of the columns; `options`: { line, any_name, migrates, doc, requires }, all of them
-- optional.
local function describe(name, kind, fields, file, options)
  local references = { name, file }
  local list, ranges = ffi.new("shoal_field[?]", #fields), ffi.new("field_range_t[?]", #fields)
  for i, field in ipairs(fields) do
    describe_field(list[i - 1], ranges[i - 1], field, references)
  end
  local component = ffi.new("shoal_component", name, KIND[kind], list, #fields)
  local pointer = ffi.new("schema_desc_t", component, ranges, file, options.line or 0, ("\n"):byte(),
    options.any_name or false, options.migrates or false, true, options.doc, kind ~= "event")
  references[#references + 1] = options.doc
  if options.requires then
    local required = ffi.new("const char *[?]", MAX_REQUIRED, options.requires)
    references[#references + 1], references[#references + 2] = required, options.requires
    pointer.required = required
  end
  return { pointer = pointer, component = component, list = list, ranges = ranges, kept = references }
end

-- Builds the schema of one of the engine's own components or events. `fields`: an array of { name, type, default }.
---@param name string
---@param kind "component"|"single"|"event"|"many"
---@param fields any[][]
---@return engine.Schema
function M.define(name, kind, fields)
  local list = {}
  for i, field in ipairs(fields) do
    list[i] = { name = field[1], type = field[2], default = field[3], flags = field.flags, max = field.max,
      min = field.max and 0 or nil }
  end
  local out = { name = name, kind = kind, at = { file = "[shoal]", text = "" }, given = fields }
  out.built = assert(build_schema(describe(name, kind, list, "[shoal]", { any_name = true })))
  out.fields = M.list_fields(out.built)
  return out
end

local function list_field_names(fields)
  local names = {}
  for name in pairs(fields) do
    if is_field(fields, name) then
      names[#names + 1] = name
    end
  end
  table.sort(names, function(a, b) return report.show(a) < report.show(b) end)
  return names
end

-- Returns true for a record: a plain table with named fields, such as colors = { r = 0, g = 0 }.
local function is_record(value)
  return type(value) == "table" and not types.is_type(value) and getmetatable(value) == nil and #value == 0
    and next(value) ~= nil
end

-- Adds the old names in `renamed_from` of a record to `renamed`. `name`: the component; `path`: the record.
local function add_renamed(name, path, renamed_from, renamed, fail)
  if renamed_from ~= nil and type(renamed_from) ~= "table" then
    fail(path .. ".renamed_from", "renamed_from of %s.%s must be a table of new and old field names, got %s: "
      .. "use { red = \"r\" }", name, path, report.describe(renamed_from))
  end
  for new_name, old_names in pairs(renamed_from or {}) do
    local qualified_names = type(old_names) == "table" and { unpack(old_names) } or { old_names }
    for i, old_name in ipairs(qualified_names) do
      local is_name = type(old_name) == "string" and not old_name:find(".", 1, true)
      qualified_names[i] = is_name and name .. "." .. path .. "." .. old_name or old_name
    end
    renamed[path .. "." .. report.show(new_name)] = qualified_names
  end
end

-- Replaces records with their fields: { colors = { r = 0 } } becomes { ["colors.r"] = 0 }. Returns the names of the
-- columns, in order, and adds their values to `out`.
local function flatten(name, fields, path, depth, out, renamed, fail)
  local names = {}
  for _, key in ipairs(list_field_names(fields)) do
    local v, full_path = fields[key], path and path .. "." .. report.show(key) or key
    if type(key) ~= "string" or not is_record(v) then
      names[#names + 1], out[full_path] = full_path, v
    elseif depth == MAX_DEPTH then
      fail(full_path, "%s.%s is nested in %d records: records can be nested at most %d levels deep", name, full_path,
        depth, MAX_DEPTH)
    else
      local has_doc = type(v.doc) == "string" -- a component's `doc` is its description, but a record has none
      if has_doc then
        fail(full_path .. ".doc",
          "%s.%s: a record cannot have a description: use doc of the component, or declare a field "
          .. "of that name with a type, doc = shoal.types.string \"\"", name, full_path)
      end
      for _, inner_path in ipairs(flatten(name, v, full_path, depth + 1, out, renamed, fail)) do
        names[#names + 1] = inner_path
      end
      add_renamed(name, full_path, v.renamed_from, renamed, fail)
    end
  end
  if path and #names == 0 then
    fail(path, "the record %s of %s is empty: add a field", path, name)
  end
  return names
end

local NO_NAMES = {} -- shared by all schemas without former names

-- Removes the component's own name from old names such as "appearance.r", and replaces renamed records with their
-- fields: { colors = { "colours" } } becomes { ["colors.r"] = { "colours.r" } }. A record's own name stands for the
-- number that its only field takes over: { speed = { "speed" } } becomes { ["speed.max"] = { "speed" } }. In an add-on,
-- old names with a dot lack the prefix of the add-on. Returns the old names that belong to the component itself, and
-- the old names that begin with the name of a different component, both by the field's new name.
local function split_renamed(component_name, renamed, names, addon)
  local own_names, foreign_names, prefix = {}, {}, report.show(component_name) .. "."
  local function add(new_name, old_name, belongs_to_component)
    local group = belongs_to_component and own_names or foreign_names
    group[new_name] = group[new_name] or {}
    group[new_name][#group[new_name] + 1] = old_name
  end
  for _, new_name in ipairs(sorted_keys(renamed)) do
    local parts = {}
    for _, name in ipairs(type(new_name) == "string" and names or {}) do
      parts[#parts + 1] = type(name) == "string" and name:sub(1, #new_name + 1) == new_name .. "." and name or nil
    end
    for _, old_name in ipairs(renamed[new_name]) do
      local is_text = type(old_name) == "string"
      if addon and is_text and old_name:find(".", 1, true) and old_name:sub(1, #prefix) ~= prefix then
        old_name = addon.prefix .. old_name
      end
      local is_prefixed = is_text and old_name:sub(1, #prefix) == prefix
      old_name = is_prefixed and old_name:sub(#prefix + 1) or old_name
      local belongs_to_component = not is_text or is_prefixed or not old_name:find(".", 1, true)
      -- The old field may have been a number with the record's name; the record's only part then takes over its value.
      local was_number = belongs_to_component and old_name == new_name and #parts == 1
      for _, part in ipairs(is_text and parts or {}) do
        add(part, was_number and old_name or old_name .. part:sub(#new_name + 1), belongs_to_component)
      end
      if #parts == 0 or not is_text then
        add(new_name, old_name, belongs_to_component)
      end
    end
  end
  return next(own_names) and own_names or NO_NAMES, foreign_names
end

local function check_renamed(name, fields, own_names, foreign_names, names, fail)
  for _, group in ipairs { own_names, foreign_names } do
    for new_name, old_names in pairs(group) do
      for _, old_name in ipairs(old_names) do
        if fields[new_name] == nil or not is_field(fields, new_name) then
          fail("renamed_from", "renamed_from of %s: unknown field %s%s", name, report.show(new_name),
            report.hint(new_name, names))
        elseif type(old_name) ~= "string" or not old_name:find("^[%a_][%w_%.]*$") then
          fail("renamed_from", "renamed_from of %s.%s must be the old name of a field, got %s", name, new_name,
            report.show(old_name))
        elseif group == own_names and is_field(fields, old_name) and fields[old_name] ~= nil
          and not (old_name == new_name and (types.get_field(fields[new_name]) or {}).type == "list") then
          -- A list may keep the name of the number from which it was created.
          fail("renamed_from", "renamed_from of %s.%s: the field %s is still declared: remove the field, or the "
            .. "rename", name, new_name, old_name)
        end
      end
    end
  end
end

-- Groups the old names that belong to other components by component: { vx = { "drive.vx" } } becomes
-- { drive = { vx = { "vx" } } }. Returns nil if there are no such names. `foreign_names`: see split_renamed.
local function read_moved(name, kind, foreign_names, fail, addon)
  local moved_fields
  local pattern = "^(" .. (addon and addon.name .. "%." or "") .. "[%a_][%w_]*)%.([%a_][%w_%.]*)$"
  for new_name, old_names in pairs(foreign_names) do
    for _, old_name in ipairs(old_names) do
      local source, field = old_name:match(pattern)
      if kind == "event" then
        fail("renamed_from", "renamed_from of %s.%s: an event can only be renamed as a whole, renamed_from = %q", name,
          new_name, report.show(source))
      elseif source then
        moved_fields = moved_fields or {}
        moved_fields[source] = moved_fields[source] or {}
        moved_fields[source][new_name] = moved_fields[source][new_name] or {}
        table.insert(moved_fields[source][new_name], field)
      end
    end
  end
  return moved_fields
end

-- Parses renamed_from, which has three forms: "vitality" is the old name of the component, { balance = "stability" }
-- contains old names of fields, and { "vitality", … } contains both. If a list contains several old names, such as {
-- "vigour", "vitality" } or { balance = { "poise", "stability" } }, the first is the most recent one. Returns the old
-- names of fields, and the component's old names, both as lists.
local function read_renamed(name, renamed_from, subject, fail, addon)
  local renamed, old_names = {}, { type(renamed_from) == "string" and renamed_from or nil }
  if renamed_from ~= nil and type(renamed_from) ~= "string" and type(renamed_from) ~= "table" then
    fail("renamed_from", "renamed_from of %s must be its old name (\"vitality\") or a table of new and old field "
      .. "names ({ balance = \"stability\" }), got %s", name, report.describe(renamed_from))
  end
  local count = type(renamed_from) == "table" and #renamed_from or 0
  for new_name, old_name in pairs(type(renamed_from) == "table" and renamed_from or {}) do
    if type(new_name) ~= "number" or new_name % 1 ~= 0 or new_name < 1 or new_name > count then
      renamed[new_name] = type(old_name) == "table" and { unpack(old_name) } or { old_name }
    end
  end
  for i, old_name in ipairs(type(renamed_from) == "table" and renamed_from or {}) do
    old_names[i] = old_name
  end
  local seen = { [name] = true }
  for i, old_name in ipairs(old_names) do
    if subject ~= "component" and subject ~= "behaviour" and subject ~= "event" then
      fail("renamed_from", "renamed_from of %s: only components and events can be renamed, not %s", name, subject)
    elseif type(old_name) ~= "string" or not old_name:find("^[%a_][%w_]*$") or seen[old_name] then
      fail("renamed_from", seen[old_name] and old_name ~= name and "renamed_from of %s contains %s twice: remove one"
        or "renamed_from of %s must be its old name, got %s", name, report.show(old_name))
    end
    seen[old_name], old_names[i] = true, addon and addon.prefix .. old_name or old_name
  end
  return renamed, #old_names > 0 and old_names or nil
end

-- Adds the columns of a list, in the format of `describe`: the number of values, then the values.
local function add_list_columns(out, name, field_type, list_names)
  local function add(suffix, fields, base)
    local old_names = list_names and table.concat(list_names, suffix .. " ") .. suffix
    fields.name, fields.renamed_from, fields.declared = name .. suffix, old_names, name
    out[#out + 1] = setmetatable(fields, { __index = base })
  end
  local default, element = field_type.default, field_type.element
  add(".count", { type = "u8", default = #default, min = 0, max = field_type.capacity, flags = FIELD_IS_COUNT,
    doc = field_type.doc, unit = field_type.unit })
  for k = 1, field_type.capacity do
    local choice
    for i, choice_name in ipairs(element.choices or {}) do
      choice = choice_name == default[k] and i - 1 or choice
    end
    add("." .. k, { default = choice or default[k] or false, flags = FIELD_IS_ELEMENT + (element.cascade or 0) },
      element)
  end
end

local LIST_TYPES = { number = "f32", boolean = "bool", string = "string" }

local function fail_no_type(name, field, v, fail)
  local element = type(v) == "table" and not types.is_type(v) and LIST_TYPES[type(v[1])]
  if element then
    fail(field, "the field %s of %s is a list: declare its type and capacity, %s = t.list(t.%s, %d, { … })",
      report.show(field), name, report.show(field), element, math.max(#v, 1))
  end
  fail(field, "the field %s of %s has no type: its default must be a number, true or false, a string, a list of "
    .. "2 to 4 numbers, a table of named fields or one of shoal.types", report.show(field), name)
end

-- `WIDTH`: number of columns of each vector type. All three are equal to constants in types.h.
local WIDTH, MAX_COLUMNS, HIDDEN = { vec2 = 2, vec3 = 3, vec4 = 4, quat = 4 }, 64, 1

-- Raises an error if the fields need too many columns and at least one of them is a list. If none is a list, C reports
-- the error.
local function check_columns(name, list, fail)
  local columns, list_name = 0, nil
  for _, field in ipairs(list) do
    columns = columns + (WIDTH[field.type] or 1)
    list_name = field.flags and bit.band(field.flags, FIELD_IS_COUNT) ~= 0 and field.declared or list_name
  end
  if list_name and columns > MAX_COLUMNS then
    fail(list_name, "too many columns in %s: %d (at most %d): a list of n values uses n + 1 columns, so a list in "
      .. "a component without other fields can have at most %d values", name, columns, MAX_COLUMNS,
      MAX_COLUMNS - 1)
  end
end

local warned = {} ---@type table<string, true> set of the warnings about defaults that have been logged

-- Returns the problem with a default that is valid but probably a mistake; nil if there is no problem.
local function find_default_problem(label, declared_default, field_type)
  if type(declared_default) == "string" and declared_default:find("^%s*[+-]?%.?%d") and tonumber(declared_default) then
    return ("%s is the string %q, not a number: write %s, or shoal.types.string %q if it is a string"):format(label,
      declared_default, declared_default:match("^%s*(.-)%s*$"), declared_default)
  end
  local v = field_type.default
  return field_type.unit == "rad" and type(v) == "number" and number.find_angle_problem(label, v) or nil
end

local function warn_about_default(name, field, declared_default, field_type, location)
  local problem = find_default_problem(("%s.%s"):format(report.show(name), report.show(field)), declared_default,
    field_type)
  local line = problem and ("%s:%d: %s"):format(location.file, report.find_line(location.text, name, field), problem)
  if line and not warned[line] and not native.is_silent then
    warned[line] = true
    native.log("warn", line)
  end
end

-- Reads the declared fields. Returns them in the format of `describe`, with their declared names.
local function read_fields(name, fields, renamed, names, fail, subject, location)
  local list = {}
  for _, field in ipairs(names) do
    local field_type = types.get_field(fields[field])
    if not field_type then
      fail_no_type(name, field, fields[field], fail)
    elseif type(fields[field]) == "string" and abi.type_ids[fields[field]] then
      fail(field, "%s.%s is the string \"%s\": use the type shoal.types.%s", name, field, fields[field], fields[field])
    elseif field_type.type == "list" and subject == "settings" then
      fail(field, "%s cannot be a list: a setting must be a number, a boolean, a string, an enum or a vector",
        report.show(field))
    end
    warn_about_default(name, field, fields[field], field_type, location)
    local label = type(field) == "string" and field or "[" .. report.show(field) .. "]"
    if field_type.type == "list" then
      add_list_columns(list, label, field_type, renamed[field])
    else
      list[#list + 1] = setmetatable({ name = label, declared = field,
        renamed_from = renamed[field] and table.concat(renamed[field], " ") }, { __index = field_type })
    end
  end
  check_columns(name, list, fail)
  return list
end

-- Sets `quat` on the parts of quaternions, which C stores like the parts of a vec4.
local function mark_quaternions(fields, list)
  for _, declared in ipairs(list) do
    for _, field in ipairs(fields) do
      field.quat = field.quat or declared.type == "quat" and field.base == declared.name or nil
    end
  end
end


-- Adds a hidden field to events that have an entity field `entity`, unless all 64 columns are in use. The hidden field
-- records whether e:send emitted the event.
local function add_sent_field(subject, list)
  local columns, has_receiver = 0, false
  for _, field in ipairs(subject == "event" and list or {}) do
    columns = columns + (WIDTH[field.type] or 1)
    has_receiver = has_receiver or field.name == "entity" and field.type == "entity"
  end
  if has_receiver and columns < MAX_COLUMNS then
    list[#list + 1] = { name = M.SENT, type = "bool", flags = HIDDEN }
  end
end

-- Returns the function fail(field, message, ...), which raises an error with the line of the field or of its path,
-- "colors.r".
local function create_fail(name, subject, location)
  return function(field, message, ...)
    local plain_name = location.addon and type(name) == "string" and name:match("[^.]+$") or name
    local path = { subject == "behaviour" and "fields" or subject ~= "settings" and plain_name or nil }
    local field_location = location.of_field and location.of_field(field) or location
    local key = field_location ~= location and field:sub(#field_location.addon.prefix + 1) or field
    for part in report.show(key or subject == "settings" and "return" or ""):gmatch("[^.]+") do
      path[#path + 1] = part
    end
    report.fail { message = string.format(message, ...), file = field_location.file,
      line = report.find_line_of_path(field_location, unpack(path)), piece = subject .. " " .. report.show(name) }
  end
end

-- Checks the list of required components, but not yet their names (schema/requirements.lua). Returns their full names,
-- or nil if the list is empty. `file_requires`: the list of a behaviour, which is not in its fields.
local function read_required(name, field_requires, file_requires, subject, kind, fail, addon)
  local names = field_requires
  if subject == "behaviour" then
    names = file_requires
    if field_requires ~= nil then
      fail("requires", "requires of %s belongs next to fields: return { requires = { \"transform\" }, fields = { … } }",
        name)
    end
  end
  if names == nil then
    return nil
  elseif subject == "settings" or subject == "event" or kind == "single" then
    fail("requires", "%s cannot require components: only components of entities can", name)
  end
  local list = type(names) == "table" and { unpack(names) } or { names }
  for i, required in ipairs(list) do
    if type(required) ~= "string" then
      fail("requires", "requires of %s must be a list of component names, got %s: use requires = { \"transform\" }",
        name, report.describe(required))
    end
    list[i] = scope.add_prefix("component", required, addon or false)
  end
  local count = 0
  for _ in pairs(type(names) == "table" and names or list) do
    count = count + 1
  end
  if count ~= #list or count > MAX_REQUIRED then
    fail("requires", count > MAX_REQUIRED and "%s requires too many components: %d (at most %d): remove those that "
      .. "other listed components require" or "requires of %s must be a list of component names: use requires = "
      .. "{ \"transform\" }", name, count, MAX_REQUIRED)
  end
  return #list > 0 and list or nil
end

-- Returns the fields that have both a minimum and a maximum; nil if no field has both.
local function list_ranges(fields)
  local ranges
  for _, field in ipairs(fields) do
    if field.min and field.max then
      ranges = ranges or {}
      ranges[#ranges + 1] = field
    end
  end
  return ranges
end

-- Checks a declaration and builds its schema. Raises an error if the declaration is invalid.
---@param name any
---@param declaration any
---@param subject "component"|"event"|"behaviour"|"settings"
---@param location engine.At
---@param requires? any required components of a behaviour, whose file lists them outside of the fields
---@return engine.Schema
function M.read(name, declaration, subject, location, requires)
  local fail = create_fail(name, subject, location)
  local kind, fields = types.unwrap(declaration)
  if subject == "behaviour" and kind ~= "component" then
    fail(nil, "fields of %s must be a plain table, without t.many, t.single or t.metadata", name)
  elseif type(fields) ~= "table" or types.is_type(fields) then
    fail(nil, "%s %s must be a table of fields, got %s", subject, report.show(name), report.describe(fields))
  end
  local migrate = fields.migrate
  if migrate ~= nil and (type(migrate) ~= "function" or subject == "event") then
    fail("migrate", subject == "event" and "an event cannot have migrate, because queued events that do not fit are "
      .. "dropped: remove it"
      or "migrate of %s must be a function, got %s: migrate = function(old, new, q) … end", name,
        report.describe(migrate))
  end
  local doc = not is_field(fields, "doc") and fields.doc or nil
  if doc == "" then
    fail("doc", "doc of %s is empty: write a description, or declare a field of that name, doc = "
      .. "shoal.types.string \"\"", name)
  end
  local required = read_required(name, fields.requires, requires, subject, kind, fail, location.addon)
  local renamed, old_names = read_renamed(name, fields.renamed_from, subject, fail, location.addon)
  local flat = {}
  local names = subject == "settings" and list_field_names(fields) or flatten(name, fields, nil, 0, flat, renamed, fail)
  flat = subject == "settings" and fields or flat
  local own_names, foreign_names = split_renamed(name, renamed, names, location.addon)
  check_renamed(name, flat, own_names, foreign_names, names, fail)
  local moved_fields = read_moved(name, subject == "event" and "event" or kind, foreign_names, fail, location.addon)
  local list = read_fields(name, flat, own_names, names, fail, subject, location)
  local schema = { name = name, kind = subject == "event" and "event" or kind, migrate = migrate, at = location,
    doc = doc, renamed_from = own_names, moved = moved_fields, was = old_names, requires = required }
  add_sent_field(subject, list)
  local text_name = type(name) == "string" and name or "[" .. report.show(name) .. "]"
  local c_schema, invalid = build_schema(describe(text_name, schema.kind, list, location.file,
    { line = report.find_line(location.text, subject == "behaviour" and "fields" or name), migrates = migrate ~= nil,
    doc = doc, any_name = location.addon and true or nil, requires = required }))
  if not c_schema then
    fail(list[invalid] and list[invalid].declared, "%s", abi.get_error_text())
  end
  schema.built = c_schema
  schema.fields = M.list_fields(c_schema)
  schema.ranges = subject == "settings" and list or list_ranges(list)
  mark_quaternions(schema.fields, list)
  return schema
end

local function fail_declaration(schema)
  report.fail { message = abi.get_error_text(), file = schema.at.file,
    line = report.find_line(schema.at.text, schema.name), piece = schema.kind .. " " .. schema.name }
end

-- Raises an error with the difference if the world does not accept the schema.
---@param schema engine.Schema
function M.check(schema)
  if not C.world_check_schema(abi.world, schema.built, abi.error) then
    fail_declaration(schema)
  end
end

-- Declares the schema in the world. Returns its id there.
---@param schema engine.Schema
---@return integer id
function M.declare(schema)
  local id = C.world_declare_schema(abi.world, schema.built, abi.error)
  if id == 0 then
    fail_declaration(schema)
  end
  return id
end

return M
