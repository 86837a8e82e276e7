-- Schemas of components, singletons, events and behaviours: converts the tables in files to C. `read` converts a
-- declaration to the C description that plugins pass, so declarations in Lua and in plugins follow the same rules
-- (schema/schema_build.h). Only `declare` changes the world.
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
---@field list_range? engine.Range of the values of the list
---@field type string one of abi.type_names
---@field column integer from 0
---@field choices? string[] choices of an enum
---@field hidden boolean not accessible to scripts
---@field read_only boolean written by the engine only
---@field derived? boolean the field has no column; it is calculated when it is read (schema/schema.h)
---@field cascade integer FIELD_CASCADE_ flags of an entity field
---@field quat? boolean a part of a quaternion
---@field layers? boolean accepts names of layers (schema/collision_layers.lua)
---@field range? engine.Range from min and max: every write is clamped to it (ecs/ranges.h)
---@field is_angle? boolean the field's unit is "rad"
---@field nan_default? number stored for NaN, if the field rejects it (FIELD_REJECTS_NAN) and has no range
---@field min_valid? integer first valid number: smaller ones are stored, with a warning (schema/component.lua)

---@class engine.Schema a checked declaration
---@field name string
---@field kind "component"|"many"|"single"|"event"|"metadata"
---@field fields engine.Field[]
---@field ranges { name: string, min?: number, max?: number }[] ranges of the fields, as declared
---@field migrate? function
---@field at engine.At
---@field built C.schema_t schema that C built from the declaration; freed after everything has been declared
---@field doc? string description shown to users
---@field renamed_from? table<string, string[]> current name of a field → old names
---@field moved? table<string, table<string, string[]>> other component → current name of a field → old names in it
---@field was? string[] old names of the component itself
---@field given? table[] for one of Shoal's own schemas: the fields passed to M.define
---@field yields? boolean for one of Shoal's own schemas: a game may declare one of the same name
---@field loaded? boolean for metadata: loaded with --metadata
---@field requires? string[] names of the components that this one requires, as declared

---@class engine.schema
---@field entity_methods string[]
---@field SENT string name of the hidden field of events that records whether e:send emitted the row
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
function M.fields(schema)
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
    local is_of_list = bit.band(column.flags, FIELD_IS_COUNT + FIELD_IS_ELEMENT) ~= 0
    if is_of_list then -- values are clamped when they are stored (value.check_element)
      field.list_range, field.range = field.range, nil
    end
    if math.floor(column.flags / FIELD_IS_AXIS) % 2 == 1 then
      field.base = field.name:match("^(.*)%.%a$")
    elseif is_of_list then
      local last
      field.base, last = field.name:match("^(.*)%.(%w+)$")
      field.list, field.hidden = tonumber(last) or 0, true
    end
    if field.type == "enum" then
      field.choices = {}
      local at = column.choices
      for k = 1, column.choice_count do
        field.choices[k] = ffi.string(at)
        at = at + #field.choices[k] + 1
      end
    end
    out[#out + 1] = field
  end
  return out
end

-- Builds the C schema from the result of `describe`; the VM owns it. If a rule is broken, returns nil and the number of
-- the invalid field, counted from 1; abi.error contains the message.
---@return any built a `schema_t *`
---@return integer? wrong
local function build_schema(description)
  local invalid = ffi.new("uint32_t[1]")
  local built = C.vm_build_schema(abi.vm, description.pointer, invalid, abi.error)
  if built == nil then
    return nil, invalid[0] + 1
  end
  return built
end

-- Fills the C description of one field (shoal_field, engine/include/shoal/types.h). `kept`: list of the strings that it
-- points to, which must not be collected.
local function describe_field(out, range, field, kept)
  local default = field.default
  kept[#kept + 1] = { field.name, field.unit, field.doc, field.renamed_from }
  out.name, out.type = field.name, abi.type_ids[field.type]
  out.unit, out.doc, out.renamed_from = field.unit, field.doc, field.renamed_from
  out.flags = field.flags or field.cascade or 0
  if field.type == "enum" then
    local choices = table.concat(field.choices or {}, "\n")
    kept[#kept + 1], out.default_string = choices, choices
    out.default_number = type(default) == "number" and default or 0 -- only values of lists have a default
  elseif type(default) == "table" then
    for i, v in ipairs(default) do
      out.default_vector[i - 1] = v
    end
  elseif type(default) == "string" then
    kept[#kept + 1], out.default_string = default, default
  elseif default then
    out.default_number = default == true and 1 or default
  end
  range.has_min, range.min = field.min ~= nil, field.min or 0
  range.has_max, range.max = field.max ~= nil, field.max or 0
end

-- Converts a declaration to its C description. `fields`: an array of { name, type, default, choices, min, max, unit,
-- doc, renamed_from } in the order of the columns; `options`: { line, any_name, migrates, doc, requires }, all of them
-- optional.
local function describe(name, kind, fields, file, options)
  local kept = { name, file }
  local list, ranges = ffi.new("shoal_field[?]", #fields), ffi.new("field_range_t[?]", #fields)
  for i, field in ipairs(fields) do
    describe_field(list[i - 1], ranges[i - 1], field, kept)
  end
  local component = ffi.new("shoal_component", name, KIND[kind], list, #fields)
  local pointer = ffi.new("schema_desc_t", component, ranges, file, options.line or 0, ("\n"):byte(),
    options.any_name or false, options.migrates or false, true, options.doc)
  kept[#kept + 1] = options.doc
  if options.requires then
    local required = ffi.new("const char *[?]", MAX_REQUIRED, options.requires)
    kept[#kept + 1], kept[#kept + 2] = required, options.requires
    pointer.required = required
  end
  return { pointer = pointer, component = component, list = list, ranges = ranges, kept = kept }
end

-- Builds the schema of one of the engine's own components or events. `fields`: an array of { name, type, default }.
---@param name string
---@param kind "component"|"single"|"event"|"many"
---@param fields any[][]
---@return engine.Schema
function M.define(name, kind, fields)
  local list = {}
  for i, field in ipairs(fields) do
    list[i] = { name = field[1], type = field[2], default = field[3] }
  end
  local out = { name = name, kind = kind, at = { file = "[shoal]", text = "" }, given = fields }
  out.built = assert(build_schema(describe(name, kind, list, "[shoal]", { any_name = true })))
  out.fields = M.fields(out.built)
  return out
end

local function list_field_names(fields)
  local names = {}
  for name in pairs(fields) do
    if is_field(fields, name) then
      names[#names + 1] = name
    end
  end
  table.sort(names, function(a, b) return report.plain(a) < report.plain(b) end)
  return names
end

-- Returns true for a record: a plain table with named fields, such as colors = { r = 0, g = 0 }.
local function is_record(v)
  return type(v) == "table" and not types.is_type(v) and getmetatable(v) == nil and #v == 0 and next(v) ~= nil
end

-- Adds the old names in `renamed_from` of a record to `renamed`. `name`: the component; `path`: the record.
local function add_renamed(name, path, given, renamed, fail)
  if given ~= nil and type(given) ~= "table" then
    fail(path .. ".renamed_from", "renamed_from of %s.%s must be a table of new and old field names, got %s: "
      .. "use { red = \"r\" }", name, path, report.describe(given))
  end
  for new, old in pairs(given or {}) do
    local list = type(old) == "table" and { unpack(old) } or { old }
    for i, old_name in ipairs(list) do
      local is_name = type(old_name) == "string" and not old_name:find(".", 1, true)
      list[i] = is_name and name .. "." .. path .. "." .. old_name or old_name
    end
    renamed[path .. "." .. report.plain(new)] = list
  end
end

-- Replaces records by their fields: { colors = { r = 0 } } becomes { ["colors.r"] = 0 }. Returns the names of the
-- columns, in order, and adds their values to `out`.
local function flatten(name, fields, path, depth, out, renamed, fail)
  local names = {}
  for _, key in ipairs(list_field_names(fields)) do
    local v, full = fields[key], path and path .. "." .. report.plain(key) or key
    if type(key) ~= "string" or not is_record(v) then
      names[#names + 1], out[full] = full, v
    elseif depth == MAX_DEPTH then
      fail(full, "%s.%s is nested in %d records: records can be nested at most %d levels deep", name, full,
        depth, MAX_DEPTH)
    else
      local has_doc = type(v.doc) == "string" -- in a component, this is its description
      if has_doc then
        fail(full .. ".doc", "%s.%s: a record cannot have a description: use doc of the component, or declare a field "
          .. "of that name with a type, doc = shoal.types.string \"\"", name, full)
      end
      for _, inner in ipairs(flatten(name, v, full, depth + 1, out, renamed, fail)) do
        names[#names + 1] = inner
      end
      add_renamed(name, full, v.renamed_from, renamed, fail)
    end
  end
  if path and #names == 0 then
    fail(path, "the record %s of %s is empty: add a field", path, name)
  end
  return names
end

-- Removes the component's own name from old names, "appearance.r", and replaces renamed records by their fields:
-- { colors = { "colours" } } becomes { ["colors.r"] = { "colours.r" } }. A record's own name stands for the number
-- that its only field takes over: { speed = { "speed" } } becomes { ["speed.max"] = { "speed" } }. Old names in an
-- add-on are plain names. Returns the old names that belong to the component itself, and those that begin with the name
-- of another one, both by the field's new name.
local function split_renamed(component_name, renamed, names, addon)
  local own, foreign, prefix = {}, {}, report.plain(component_name) .. "."
  local function add(new, old, is_own)
    local into = is_own and own or foreign
    into[new] = into[new] or {}
    into[new][#into[new] + 1] = old
  end
  for _, new in ipairs(sorted_keys(renamed)) do
    local parts = {}
    for _, name in ipairs(type(new) == "string" and names or {}) do
      parts[#parts + 1] = type(name) == "string" and name:sub(1, #new + 1) == new .. "." and name or nil
    end
    for _, old in ipairs(renamed[new]) do
      local is_text = type(old) == "string"
      if addon and is_text and old:find(".", 1, true) and old:sub(1, #prefix) ~= prefix then
        old = addon.prefix .. old
      end
      local is_prefixed = is_text and old:sub(1, #prefix) == prefix
      old = is_prefixed and old:sub(#prefix + 1) or old
      local is_own = not is_text or is_prefixed or not old:find(".", 1, true)
      local was_number = is_own and old == new and #parts == 1 -- the record's only field takes over the number
      for _, part in ipairs(is_text and parts or {}) do
        add(part, was_number and old or old .. part:sub(#new + 1), is_own)
      end
      if #parts == 0 or not is_text then
        add(new, old, is_own)
      end
    end
  end
  return own, foreign
end

local function check_renamed(name, fields, own, foreign, names, fail)
  for _, renamed in ipairs { own, foreign } do
    for new, list in pairs(renamed) do
      for _, old in ipairs(list) do
        if fields[new] == nil or not is_field(fields, new) then
          fail("renamed_from", "renamed_from of %s: unknown field %s%s", name, report.plain(new),
            report.hint(new, names))
        elseif type(old) ~= "string" or not old:find("^[%a_][%w_%.]*$") then
          fail("renamed_from", "renamed_from of %s.%s must be the old name of a field, got %s", name, new,
            report.plain(old))
        elseif renamed == own and is_field(fields, old) and fields[old] ~= nil
          and not (old == new and (types.field(fields[new]) or {}).type == "list") then -- a number became a list
          fail("renamed_from", "renamed_from of %s.%s: the field %s is still declared: remove the field, or the "
            .. "rename", name, new, old)
        end
      end
    end
  end
end

-- Groups the old names that belong to other components by component: { vx = { "drive.vx" } } becomes
-- { drive = { vx = { "vx" } } }. Returns nil if there are no such names. `foreign`: see split_renamed.
local function read_moved(name, kind, foreign, fail, addon)
  local moved
  local pattern = "^(" .. (addon and addon.name .. "%." or "") .. "[%a_][%w_]*)%.([%a_][%w_%.]*)$"
  for new, list in pairs(foreign) do
    for _, old in ipairs(list) do
      local from, field = old:match(pattern)
      if kind == "event" then
        fail("renamed_from", "renamed_from of %s.%s: an event can only be renamed as a whole, renamed_from = %q", name,
          new, report.plain(from))
      elseif from then
        moved = moved or {}
        moved[from] = moved[from] or {}
        moved[from][new] = moved[from][new] or {}
        table.insert(moved[from][new], field)
      end
    end
  end
  return moved
end

-- Parses renamed_from: "vitality" is the old name of the component, { balance = "stability" } has old names of fields,
-- { "vitality", … } both. Of several old names, { "vigour", "vitality" } or { balance = { "poise", "stability" } }, the
-- first is the most recent one. Returns the old names of fields, and those of the component, both as lists.
local function read_renamed(name, given, what, fail, addon)
  local renamed, old_names = {}, { type(given) == "string" and given or nil }
  if given ~= nil and type(given) ~= "string" and type(given) ~= "table" then
    fail("renamed_from", "renamed_from of %s must be its old name (\"vitality\") or a table of new and old field "
      .. "names ({ balance = \"stability\" }), got %s", name, report.describe(given))
  end
  local count = type(given) == "table" and #given or 0
  for new, old in pairs(type(given) == "table" and given or {}) do
    if type(new) ~= "number" or new % 1 ~= 0 or new < 1 or new > count then
      renamed[new] = type(old) == "table" and { unpack(old) } or { old }
    end
  end
  for i, old in ipairs(type(given) == "table" and given or {}) do
    old_names[i] = old
  end
  local seen = { [name] = true }
  for i, old in ipairs(old_names) do
    if what ~= "component" and what ~= "behaviour" and what ~= "event" then
      fail("renamed_from", "renamed_from of %s: only components and events can be renamed, not %s", name, what)
    elseif type(old) ~= "string" or not old:find("^[%a_][%w_]*$") or seen[old] then
      fail("renamed_from", seen[old] and old ~= name and "renamed_from of %s contains %s twice: remove one"
        or "renamed_from of %s must be its old name, got %s", name, report.plain(old))
    end
    seen[old], old_names[i] = true, addon and addon.prefix .. old or old
  end
  return renamed, #old_names > 0 and old_names or nil
end

-- Adds the columns of a list, in the format of `describe`: the number of values, then the values.
local function add_list_columns(out, name, meaning, former)
  local function add(suffix, fields, of)
    local old_names = former and table.concat(former, suffix .. " ") .. suffix
    fields.name, fields.renamed_from, fields.declared = name .. suffix, old_names, name
    out[#out + 1] = setmetatable(fields, { __index = of })
  end
  local default, element = meaning.default, meaning.element
  add(".count", { type = "u8", default = #default, min = 0, max = meaning.capacity, flags = FIELD_IS_COUNT,
    doc = meaning.doc, unit = meaning.unit })
  for k = 1, meaning.capacity do
    local choice
    for i, word in ipairs(element.choices or {}) do
      choice = word == default[k] and i - 1 or choice
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
      report.plain(field), name, report.plain(field), element, math.max(#v, 1))
  end
  fail(field, "the field %s of %s has no type: its default must be a number, true or false, a string, a list of "
    .. "2 to 4 numbers, a table of named fields or one of shoal.types", report.plain(field), name)
end

local WIDTH, MAX_COLUMNS, HIDDEN = { vec2 = 2, vec3 = 3, vec4 = 4, quat = 4 }, 64, 1 -- equal to constants in types.h

-- Raises an error if the fields need too many columns because of a list. C checks other fields.
local function check_columns(name, list, fail)
  local columns, of = 0, nil
  for _, field in ipairs(list) do
    columns = columns + (WIDTH[field.type] or 1)
    of = field.flags and bit.band(field.flags, FIELD_IS_COUNT) ~= 0 and field.declared or of
  end
  if of and columns > MAX_COLUMNS then
    fail(of, "too many columns in %s: %d (at most %d): a list of n values uses n + 1 columns, so a list in "
      .. "a component without other fields can have at most %d values", name, columns, MAX_COLUMNS,
      MAX_COLUMNS - 1)
  end
end

local warned = {} ---@type table<string, true> lines about defaults

-- Returns the problem with a default that is valid but probably a mistake, or nil.
local function find_default_problem(label, given, meaning)
  if type(given) == "string" and given:find("^%s*[+-]?%.?%d") and tonumber(given) then
    return ("%s is the string %q, not a number: write %s, or shoal.types.string %q if it is a string"):format(label,
      given, given:match("^%s*(.-)%s*$"), given)
  end
  local v = meaning.default
  return meaning.unit == "rad" and type(v) == "number" and number.find_angle_problem(label, v) or nil
end

local function warn_about_default(name, field, given, meaning, at)
  local problem = find_default_problem(("%s.%s"):format(report.plain(name), report.plain(field)), given, meaning)
  local line = problem and ("%s:%d: %s"):format(at.file, report.find_line(at.text, name, field), problem)
  if line and not warned[line] and not native.is_silent then
    warned[line] = true
    native.log("warn", line)
  end
end

-- Reads the declared fields. Returns them in the format of `describe`, with their declared names.
local function read_fields(name, fields, renamed, names, fail, what, at)
  local list = {}
  for _, field in ipairs(names) do
    local meaning = types.field(fields[field])
    if not meaning then
      fail_no_type(name, field, fields[field], fail)
    elseif type(fields[field]) == "string" and abi.type_ids[fields[field]] then
      fail(field, "%s.%s is the string \"%s\": use the type shoal.types.%s", name, field, fields[field], fields[field])
    elseif meaning.type == "list" and what == "settings" then
      fail(field, "%s cannot be a list: a setting must be a number, a boolean, a string, an enum or a vector",
        report.plain(field))
    end
    warn_about_default(name, field, fields[field], meaning, at)
    local label = type(field) == "string" and field or "[" .. report.plain(field) .. "]"
    if meaning.type == "list" then
      add_list_columns(list, label, meaning, renamed[field])
    else
      list[#list + 1] = setmetatable({ name = label, declared = field,
        renamed_from = renamed[field] and table.concat(renamed[field], " ") }, { __index = meaning })
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
local function add_sent_field(what, list)
  local columns, has_receiver = 0, false
  for _, field in ipairs(what == "event" and list or {}) do
    columns = columns + (WIDTH[field.type] or 1)
    has_receiver = has_receiver or field.name == "entity" and field.type == "entity"
  end
  if has_receiver and columns < MAX_COLUMNS then
    list[#list + 1] = { name = M.SENT, type = "bool", flags = HIDDEN }
  end
end

-- Returns the function fail(field, message, ...), which raises an error with the line of the field or of its path,
-- "colors.r".
local function create_fail(name, what, at)
  return function(field, message, ...)
    local plain = at.addon and type(name) == "string" and name:match("[^.]+$") or name
    local path = { what == "behaviour" and "fields" or what ~= "settings" and plain or nil }
    local location = at.of_field and at.of_field(field) or at
    local key = location ~= at and field:sub(#location.addon.prefix + 1) or field
    for part in report.plain(key or what == "settings" and "return" or ""):gmatch("[^.]+") do
      path[#path + 1] = part
    end
    report.fail { message = string.format(message, ...), file = location.file,
      line = report.find_line_of_path(location, unpack(path)), piece = what .. " " .. report.plain(name) }
  end
end

-- Checks the list of required components, without their names (schema/requirements.lua). Returns their full names, or
-- nil if the list is empty. `outside`: the list of a behaviour, which is not in its fields.
local function read_required(name, in_fields, outside, what, kind, fail, addon)
  local given = in_fields
  if what == "behaviour" then
    given = outside
    if in_fields ~= nil then
      fail("requires", "requires of %s belongs next to fields: return { requires = { \"transform\" }, fields = { … } }",
        name)
    end
  end
  if given == nil then
    return nil
  elseif what == "settings" or what == "event" or kind == "single" then
    fail("requires", "%s cannot require components: only components of entities can", name)
  end
  local list = type(given) == "table" and { unpack(given) } or { given }
  for i, required in ipairs(list) do
    if type(required) ~= "string" then
      fail("requires", "requires of %s must be a list of component names, got %s: use requires = { \"transform\" }",
        name, report.describe(required))
    end
    list[i] = scope.full("component", required, addon or false)
  end
  local count = 0
  for _ in pairs(type(given) == "table" and given or list) do
    count = count + 1
  end
  if count ~= #list or count > MAX_REQUIRED then
    fail("requires", count > MAX_REQUIRED and "%s requires too many components: %d (at most %d): remove those that "
      .. "other listed components require" or "requires of %s must be a list of component names: use requires = "
      .. "{ \"transform\" }", name, count, MAX_REQUIRED)
  end
  return #list > 0 and list or nil
end

-- Checks a declaration and builds its schema. Raises an error if the declaration is invalid.
---@param name any
---@param declaration any
---@param what "component"|"event"|"behaviour"|"settings"
---@param at engine.At
---@param requires? any required components of a behaviour, whose file lists them outside of the fields
---@return engine.Schema
function M.read(name, declaration, what, at, requires)
  local fail = create_fail(name, what, at)
  local kind, fields = types.unwrap(declaration)
  if what == "behaviour" and kind ~= "component" then
    fail(nil, "fields of %s must be a plain table, without t.many, t.single or t.metadata", name)
  elseif type(fields) ~= "table" or types.is_type(fields) then
    fail(nil, "%s %s must be a table of fields, got %s", what, report.plain(name), report.describe(fields))
  end
  local migrate = fields.migrate
  if migrate ~= nil and (type(migrate) ~= "function" or what == "event") then
    fail("migrate", what == "event" and "an event cannot have migrate, because queued events that do not fit are "
      .. "dropped: remove it"
      or "migrate of %s must be a function, got %s: migrate = function(old, new, q) … end", name,
        report.describe(migrate))
  end
  local doc = not is_field(fields, "doc") and fields.doc or nil
  if doc == "" then
    fail("doc", "doc of %s is empty: write a description, or declare a field of that name, doc = "
      .. "shoal.types.string \"\"", name)
  end
  local required = read_required(name, fields.requires, requires, what, kind, fail, at.addon)
  local renamed, old_names = read_renamed(name, fields.renamed_from, what, fail, at.addon)
  local flat = {}
  local names = what == "settings" and list_field_names(fields) or flatten(name, fields, nil, 0, flat, renamed, fail)
  flat = what == "settings" and fields or flat
  local own, foreign = split_renamed(name, renamed, names, at.addon)
  check_renamed(name, flat, own, foreign, names, fail)
  local moved = read_moved(name, what == "event" and "event" or kind, foreign, fail, at.addon)
  local list = read_fields(name, flat, own, names, fail, what, at)
  local out = { name = name, kind = what == "event" and "event" or kind, migrate = migrate, at = at, doc = doc,
    renamed_from = own, moved = moved, was = old_names, requires = required }
  add_sent_field(what, list)
  local text_name = type(name) == "string" and name or "[" .. report.plain(name) .. "]"
  local built, invalid = build_schema(describe(text_name, out.kind, list, at.file,
    { line = report.find_line(at.text, what == "behaviour" and "fields" or name), migrates = migrate ~= nil, doc = doc,
      any_name = at.addon and true or nil, requires = required }))
  if not built then
    fail(list[invalid] and list[invalid].declared, "%s", abi.error_text())
  end
  out.built = built
  out.fields = M.fields(built)
  out.ranges = list
  mark_quaternions(out.fields, list)
  return out
end

local function fail_declaration(schema)
  report.fail { message = abi.error_text(), file = schema.at.file, line = report.find_line(schema.at.text, schema.name),
    piece = schema.kind .. " " .. schema.name }
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
