-- Conversion of values that scripts assign to fields ({ x = 10, colour = "#ff8800", parent = e }) for columns. A target
-- is a component or an event (schema/component.lua, world/event.lua); fields are visited in schema order, so that
-- strings get the same ids in every process.
--
-- Reading a table with a metatable may run script code. Such a table is therefore copied first, through its metatable,
-- and only the copy is used from then on (design/0019); `check` returns it.
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local hidden_state = need("base/hidden_state")
local json = need("base/json")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local spelling = need("base/spelling")
local state = need("base/vm_state")
local text = need("base/string_table")
local matrix = need("math/matrix")
local number = need("math/number")
local vector = need("math/vector")
local api_hints = need("messages/api_hints")
local missing_assets = need("messages/missing_assets")
local emitter = need("schema/emitter")
local collision_layers = need("schema/collision_layers")
local enum = need("schema/enum")
local ffi = abi.ffi

---@class engine.Writable a field, or the parts of a vector, which scripts write as one value
---@field field? engine.Field
---@field base? string the name of the vector or list
---@field parts? engine.Field[]
---@field list? engine.List

---@class engine.List a list, up to `capacity` values of one type
---@field name string
---@field capacity integer
---@field count engine.Field column that stores the number of values
---@field values engine.Field[] columns of the values
---@field shown engine.Field[] like `values`, with names for messages: "items[1]"
---@field type string type of each value
---@field range? engine.Range range of the values

---@class engine.Record the members of a record, or of a component or event with records
---@field names string[] names of its fields, vectors and records
---@field has table<string, boolean> set of the names in `names`
---@field inner string[] the names in `names` that denote records

---@class engine.Target the destination of values: a component or an event
---@field name string
---@field label string for messages: "transform", "event hit"
---@field fields engine.Field[] one for each column
---@field by_name table<string, engine.Field>
---@field vectors table<string, engine.Field[]> the parts of each vector, by its name
---@field lists table<string, engine.List> list types, indexed by name
---@field records table<string, engine.Record> records, indexed by path
---@field members? engine.Record the fields, vectors and records outside of records; nil if there are no records
---@field writable engine.Writable[] the fields, vectors and lists that scripts can write, in the order of the columns
---@field names? string[] names of the elements of `writable`
---@field prepare? false|fun(values: any): any converts the values before they are checked
---@field check? false|fun(values: any): table checks the values like M.check; generated after MIN_USES calls
---@field pack? fun(values: any): integer stores the values like M.pack; generated after MIN_USES calls

---@class engine.value
---@field columns ffi.cdata* uint32_t[]: columns of the values that M.pack has stored
---@field numbers ffi.cdata* double[]: numbers of the values that M.pack has stored
---@field NUMBERS table<string, boolean> the numeric field types
local M = {}

local NUMBERS = { f32 = true, f64 = true, i8 = true, i16 = true, i32 = true, u8 = true, u16 = true, u32 = true }
M.NUMBERS = NUMBERS
local ALIAS = { "r", "g", "b", "a" }
local AXES = { "x", "y", "z", "w" }

local function fail_type(target, name, expected, value)
  report.raise("%s.%s must be %s, got %s", target.label, name, expected,
    (vector.get_kind(value) or vector.get_stored_size(value)) and "a " .. vector.type_name(value)
      or report.describe(value))
end

-- --- values with metatables, which run script code when read

-- Tables frozen after loading have the engine's metatable, so reading them runs no script code.
local is_constant = hidden_state.is_constant

-- Returns true if reading the value may run script code.
---@param v any
---@return boolean
local function may_run_code(v)
  return type(v) == "table" and getmetatable(v) ~= nil and not is_constant[v]
end

-- Outside systems, closes the queries that a metamethod may have opened, because the caller is about to change the
-- world.
local function close_queries()
  if not abi.C.world_is_deferring(abi.world) then
    late_binding.close_queries()
  end
end

M.may_run_code = may_run_code

-- Copies a table without its metatable: its raw entries, and the values that its __index returns for `names`.
---@param t table
---@param names any[]
---@return table
function M.copy_plain(t, names)
  local out = {}
  for key, v in next, t do
    out[key] = v
  end
  if not may_run_code(t) then
    return out
  end
  for i = 1, #names do
    if out[names[i]] == nil then
      out[names[i]] = t[names[i]]
    end
  end
  close_queries()
  return out
end

-- Copies a declaration without its metatable: reads each of `keys` once, in alphabetical order, when the file is
-- loaded.
---@param t table
---@param keys table<string, any>
---@return table
function M.copy_declared(t, keys)
  local names = {}
  for name in pairs(keys) do
    names[#names + 1] = name
  end
  table.sort(names)
  return M.copy_plain(t, names)
end

local PARTS = { 1, 2, 3, 4, "x", "y", "z", "w", "r", "g", "b", "a" }
local MATRIX = {}
for i = 1, 16 do
  MATRIX[i] = i
end

-- Returns a value that can be read without running script code: a copy if `v` has metamethods or is the accessor of a
-- vector, otherwise `v`.
---@param v any
---@return any
function M.to_plain_vector(v)
  local part_count = type(v) == "table" and vector.get_stored_size(v)
  if part_count then
    return vector.api["vec" .. part_count](v)
  end
  return may_run_code(v) and M.copy_plain(v, PARTS) or v
end

-- Converts a matrix to a list of 16 numbers, in column-major order, without a metatable.
---@param v any
---@return number[]
function M.to_plain_matrix(v)
  v = matrix.is(v) and matrix.list(v) or may_run_code(v) and M.copy_plain(v, MATRIX) or v
  for i = 1, 16 do
    if type(v) ~= "table" or type(v[i]) ~= "number" then
      report.raise("a matrix must be a shoal.mat4 or a list of 16 numbers in column-major order")
    end
  end
  return v
end

local MAX_POINTS = 65536

-- Returns true for a string field that accepts a list.
---@param field engine.Field
---@return boolean
function M.is_list(field)
  return field.name == "points" or emitter.is_list(field.name)
end

-- Copies a list to a table without metatables; items that are tables become lists of up to four numbers. If the list
-- has no first item but other entries, returns `v` itself: it is invalid.
local function copy_list(v)
  local out, runs_code = {}, may_run_code(v)
  for i = 1, MAX_POINTS do
    local item = v[i]
    if item == nil then
      break
    end
    runs_code = runs_code or may_run_code(item)
    out[i] = type(item) == "table" and { item[1] or item.x, item[2] or item.y, item[3] or item.z, item[4] or item.w }
      or item
  end
  if runs_code then
    close_queries()
  end
  return #out == 0 and next(v) ~= nil and v or out
end

-- Converts a list to the string that its field stores: a curve, or the `points` of a polygon. Points can be given as a
-- list of numbers or as a list of pairs, and are stored as "x,y x,y …". Returns any other value unchanged.
---@param v any
---@param field engine.Field
---@return any
function M.to_plain_text(v, field)
  if type(v) == "table" and emitter.is_list(field.name) then
    return emitter.format_text(field.name, copy_list(v))
  elseif type(v) ~= "table" or field.name ~= "points" then
    return v
  end
  local flat, runs_code = {}, may_run_code(v)
  for i = 1, MAX_POINTS do
    local item = vector.list(v[i]) or v[i]
    if item == nil then
      break
    end
    if type(item) == "table" then
      runs_code = runs_code or may_run_code(item)
      flat[#flat + 1], flat[#flat + 2] = item[1] or item.x or false, item[2] or item.y or false
    else
      flat[#flat + 1] = item
    end
  end
  if runs_code then
    close_queries()
  end
  if #flat % 2 == 1 then
    report.raise("points must be pairs of numbers, got an odd number of values (%d)", #flat)
  end
  local out = {}
  for i = 1, #flat - 1, 2 do
    if type(flat[i]) ~= "number" or type(flat[i + 1]) ~= "number" then
      report.raise("points must be numbers or pairs of numbers, { 0, 0, 10, 0, 5, 8 } or "
        .. "{ { 0, 0 }, { 10, 0 }, { 5, 8 } }")
    end
    out[#out + 1] = string.format("%.6g,%.6g", flat[i], flat[i + 1])
  end
  return table.concat(out, " ")
end

-- --- conversion of one value

local warned_locations = {}

-- Warns about a number below the first valid number, such as sprite.frame = 0, once per line of code. Returns the
-- number unchanged.
---@param label string
---@param v number
---@param minimum integer
---@return number v
function M.warn_low(label, v, minimum)
  local location = missing_assets.get_location and missing_assets.get_location() or report.add_location("")
  local is_repeated = state.loading and (native.is_silent or not missing_assets.get_location)
  if not warned_locations[location] and not is_repeated then
    warned_locations[location] = true
    native.log("warn", string.format("%s%s is %s: numbering starts at %d", location, label, report.show(v), minimum))
  end
  return v
end

-- Converts a value to the number stored in its column. Runs no script code: lists have been converted by
-- M.to_plain_text.
---@param target engine.Target
---@param field engine.Field
---@param value any
---@param check_only? boolean only check; do not intern strings
---@return integer|number stored a string's id, an entity's id, or an enum choice's number from 0
function M.encode(target, field, value, check_only)
  local kind = field.type
  if NUMBERS[kind] then
    if type(value) ~= "number" then
      fail_type(target, field.name, "a number", value)
    end
    return value
  elseif kind == "bool" then
    if type(value) ~= "boolean" then
      fail_type(target, field.name, "true or false", value)
    end
    return value and 1 or 0
  elseif kind == "string" or kind == "asset" then
    if type(value) ~= "string" then
      fail_type(target, field.name, "a string", value)
    end
    value = scope.value(field.names, value)
    if kind == "asset" then
      missing_assets.check_field(value, target, field)
    end
    return check_only and 0 or text.intern(value)
  elseif kind == "entity" then
    local id = handle.get_id(value)
    if not id then
      fail_type(target, field.name, "an entity", value)
    end
    return id --[[@as integer]]
  elseif kind == "enum" then
    local number_of_choice = enum.get_numbers(field.choices)[value]
    if number_of_choice then
      return number_of_choice
    end
    local match_index = spelling.index_of(value, field.choices)
    if match_index then
      return match_index - 1
    end
    fail_type(target, field.name, "one of " .. table.concat(field.choices, ", ") .. report.suggest(value,
      field.choices), value)
  end
  report.raise("%s.%s is read-only", target.label, field.name)
end

local function parse_hex_part(value, i)
  local digits = value:sub(2 * i, 2 * i + 1)
  return digits == "" and 1 or (tonumber(digits, 16) or 0) / 255
end

-- Returns part `i` of a vector's new value, which is a vector, a list, a table with x y z w or r g b a, or
-- "#rrggbb[aa]".
---@param target engine.Target
---@param base string the vector's name
---@param value any without metatables (M.to_plain_vector)
---@param i integer from 1
---@return number? part nil if the part is not changed
local function get_vector_part(target, base, value, i)
  if type(value) == "string" and value:match("^#%x%x%x%x%x%x%x?%x?$") then
    return parse_hex_part(value, i)
  elseif type(value) ~= "table" then
    local part = vector.get_part(value, #target.vectors[base], i)
    return part or fail_type(target, base, ("a %s, a list of numbers or a colour like \"#ff8800\""):format(
      M.get_vector_kind(target.vectors[base])), value)
  end
  local part = value[i]
  if part == nil then
    part = value[AXES[i]]
  end
  if part == nil then
    part = value[ALIAS[i]]
  end
  if part ~= nil and type(part) ~= "number" then
    fail_type(target, base .. "." .. AXES[i], "a number", part)
  end
  return part
end
M.vector_part = get_vector_part

-- Returns the type name of a vector: "vec3".
---@param parts engine.Field[]
---@return string
function M.get_vector_kind(parts)
  return parts[1].quat and "quat" or "vec" .. #parts
end

-- Shared by all targets, because most components have no vectors, lists or records.
local EMPTY = {}

-- Registers each part of a path such as "colors.r" as a member of its enclosing record; "" is the outermost one.
local function add_members(records, path)
  local record_path, rest, path_prefix = "", path, ""
  while rest do
    local name, remainder = rest:match("^([^.]+)%.?(.*)$")
    local record = records[record_path] or { names = {}, has = {}, inner = {} }
    records[record_path] = record
    if not record.has[name] then
      record.names[#record.names + 1], record.has[name] = name, true
      record.inner[#record.inner + 1] = remainder ~= "" and name or nil
    end
    path_prefix = path_prefix == "" and name or path_prefix .. "." .. name
    record_path, rest = path_prefix, remainder ~= "" and remainder or nil
  end
end

-- Returns the records by path, and the members outside of records. If there are no records, returns {} and nil.
local function collect_records(writable)
  local records = {}
  for _, item in ipairs(writable) do
    add_members(records, item.base or item.field.name)
  end
  local members = records[""]
  if not members or #members.inner == 0 then
    return EMPTY
  end
  records[""] = nil
  return records, members
end

-- Adds a column to its list. Returns the list if it is new.
local function add_to_list(lists, field)
  local list = lists[field.base]
  if not list then
    lists[field.base] = { name = field.base, capacity = 0, count = field, values = {}, shown = {} }
    return lists[field.base]
  end
  list.type, list.range, list.capacity = field.type, field.list_range, field.list
  list.values[field.list] = field
  list.shown[field.list] = setmetatable({ name = ("%s[%d]"):format(field.base, field.list) }, { __index = field })
end

-- Groups fields: all fields by name; the parts of each vector by its base name; the members that scripts can write
-- (fields that are not hidden, whole vectors and lists) in order; the lists by name; and the records by path. Names are
-- found in British and American spelling (base/spelling.lua).
---@param fields engine.Field[]
---@return table<string, engine.Field> by_name
---@return table<string, engine.Field[]> vectors
---@return engine.Writable[] writable
---@return table<string, engine.List> lists
---@return table<string, engine.Record> records
---@return engine.Record? members
function M.index_fields(fields)
  local by_name, vectors, lists, writable = {}, {}, {}, {}
  for _, field in ipairs(fields) do
    local base = field.base
    if field.list then
      local new = add_to_list(lists, field)
      writable[#writable + 1] = new and { base = base, list = new } or nil
    elseif base then
      if not vectors[base] then
        vectors[base] = {}
        writable[#writable + 1] = { base = base, parts = vectors[base] }
      end
      table.insert(vectors[base], field)
    elseif not field.hidden then
      writable[#writable + 1] = { field = field }
    end
    by_name[field.name] = field
  end
  local records, members = collect_records(writable)
  return spelling.alias(by_name), next(vectors) and spelling.alias(vectors) or EMPTY, writable,
    next(lists) and spelling.alias(lists) or EMPTY, next(records) and spelling.alias(records) or EMPTY, members
end

-- Returns the end of the error message for a string that is passed instead of a table of fields: the first field that
-- could store the string.
---@param target engine.Target
---@param v any
---@return string hint ": sprite = { image = "hero.png" }" or ""
function M.as_field(target, v)
  for _, item in ipairs(type(v) == "string" and target.writable or {}) do
    if item.field and (item.field.type == "string" or item.field.type == "asset") then
      return string.format(": %s = { %s = %q }", target.label, item.field.name, report.show(v))
    end
  end
  return ""
end

-- --- list fields

-- Returns a list accessor's values as a table; nil for any other value. Set by schema/list.lua.
---@type fun(v: any): any[]?
M.get_list_values = function() end

-- Checks an element of a list, and clamps a number to the list's range. Returns the value to store.
---@param target engine.Target
---@param list engine.List
---@param k integer 1-based index of the element
---@param v any
---@return any
function M.check_element(target, list, k, v)
  local field, range = list.shown[k], list.range
  M.encode(target, field, v, true)
  local limits = number.RANGES[list.type]
  if limits and not (v > limits[1] - 1 and v < limits[2] + 1) then
    v = number.clamp_integer(v, limits[1], limits[2], target.label .. "." .. field.name)
  end
  if range and not (v >= range.low and v <= range.high) then
    v = number.clamp_to_range(v, range, target.label .. "." .. field.name, number.RANGES[list.type] ~= nil)
  end
  return field.nan_default and v ~= v and number.replace_nan(target.label .. "." .. field.name, field.nan_default) or v
end

-- Raises an error if a table has entries other than 1 to n.
local function check_keys(target, list, values, n)
  for key in next, values do
    if type(key) ~= "number" or key < 1 or key > n or key % 1 ~= 0 then
      report.raise("%s.%s must be a list without gaps, got the key %s: use { first, second }", target.label, list.name,
        report.show(key))
    end
  end
end

-- Checks the values that are assigned to a list. Returns them as a table without metatables.
---@param target engine.Target
---@param list engine.List
---@param v any
---@return any[]
function M.check_list(target, list, v)
  local values, out = M.get_list_values(v) or json.behind[v] or v, {}
  if type(values) ~= "table" then
    fail_type(target, list.name, ("a list of up to %d values"):format(list.capacity), v)
  end
  for i = 1, MAX_POINTS do
    local item = values[i]
    if item == nil then
      break
    end
    out[i] = i <= list.capacity and M.check_element(target, list, i, item) or item
  end
  if may_run_code(values) then
    close_queries()
  else
    check_keys(target, list, values, #out)
  end
  if #out > list.capacity then
    report.raise("too many values for %s.%s: %d (at most %d): declare a larger capacity", target.label, list.name, #out,
      list.capacity)
  end
  return out
end

-- Stores all columns of a list in M.columns and M.numbers, from index n. Returns the next index.
local function pack_list(target, list, v, n)
  local columns, numbers = M.columns, M.numbers
  columns[n], numbers[n] = list.count.column, #v
  for k = 1, list.capacity do
    columns[n + k] = list.values[k].column
    numbers[n + k] = v[k] ~= nil and M.encode(target, list.shown[k], v[k]) or 0
  end
  return n + 1 + list.capacity
end

-- --- conversion of many values: the code is generated for each target and contains no loops or closures, so that a
-- loop around it can be compiled. The first calls for a target instead loop over its fields, because generated code
-- takes 3 KB per target, and a game with thousands of components assigns values to most of them only a few times.

-- Returns `values` as a table of fields. A bare value becomes the only field of a component with a single field; for
-- other components, it raises an error.
local function to_table(target, values)
  if type(values) == "table" then
    return values
  elseif #target.writable == 1 and target.writable[1].field then
    return { [target.writable[1].field.name] = values }
  end
  report.raise("%s must be a table of fields, got %s%s", target.label, report.describe(values), M.as_field(target,
    values))
end

-- Replaces one entry of `values` and returns it. Copies `values` first if it is `original`, which is never modified.
---@param values table `original`, or the result of an earlier call
---@param original table
---@param name any the key
---@param v any
---@return table values the copy
local function copy_with(values, original, name, v)
  if values == original then
    values = {}
    for key, old_value in next, original do
      values[key] = old_value
    end
  end
  values[name] = v
  return values
end

M.with = copy_with

-- Adds the values of a record to `out`, by path: { r = 1 } for "colors" adds ["colors.r"] = 1.
local function flatten_record(target, path, values, out)
  local record = target.records[path]
  if type(values) ~= "table" then
    fail_type(target, path, "a table of fields", values)
  elseif may_run_code(values) then
    values = M.copy_plain(values, record.names)
  end
  values = spelling.respell_keys(values, record.has)
  for name in pairs(values) do
    if not record.has[name] then
      M.fail_unknown_field(target, name, path)
    end
  end
  for _, name in ipairs(record.names) do
    local v, full_path = values[name], path .. "." .. name
    if v ~= nil and target.records[full_path] then
      flatten_record(target, full_path, v, out)
    elseif v ~= nil then
      out[full_path] = v
    end
  end
end

-- Returns the values of one record by path.
---@param target engine.Target
---@param path string
---@param values any
---@return table<string, any>
function M.record_values(target, path, values)
  local out = {}
  flatten_record(target, path, values, out)
  return out
end

-- Returns the function that replaces the records in values with their fields, or nil if the target has no records:
-- { colors = { r = 1 } } becomes { ["colors.r"] = 1 }. Values without records, which may already be paths, are
-- returned unchanged.
---@param target engine.Target
---@return (fun(values: any): any)?
function M.create_flattener(target)
  local members = target.members
  return members and function(values)
    if type(values) ~= "table" then
      return values
    elseif may_run_code(values) then
      values = M.copy_plain(values, members.names)
    end
    local original = values
    for _, name in ipairs(members.inner) do
      local v = values[name]
      if v ~= nil then
        values = M.with(values, original, name, nil)
        flatten_record(target, name, v, values)
      end
    end
    return values
  end
end

-- Stores a value under its path: M.set_path(t, "colors.r", 1) sets t.colors.r.
---@param t table
---@param path string
---@param v any
function M.set_path(t, path, v)
  local record, rest = path:match("^([^.]+)%.(.+)$")
  while record do
    t[record] = t[record] or {}
    t, path = t[record], rest
    record, rest = path:match("^([^.]+)%.(.+)$")
  end
  t[path] = v
end

-- Returns the member of nested tables at a path: M.get_path(q.appearance, "colors.r") is q.appearance.colors.r. Returns
-- nil if a record of the path is missing.
---@param root any
---@param path string
---@return any
function M.get_path(root, path)
  for name in path:gmatch("[^.]+") do
    local kind = type(root) -- accessors cannot be compared with nil
    if kind == "nil" or kind == "boolean" then
      return nil
    end
    root = root[name]
  end
  return root
end

local function copy_fields(target, values)
  if not target.names then
    target.names = {}
    for i, item in ipairs(target.writable) do
      target.names[i] = item.base or item.field.name
    end
  end
  return M.copy_plain(values, target.names)
end

-- Returns `values` with its keys in the spelling of the fields (base/spelling.lua).
---@param target engine.Target
---@param values any
---@return any
function M.respell(target, values)
  if type(values) ~= "table" then
    return values
  end
  if not target.written then
    target.written = {}
    for _, item in ipairs(target.writable) do
      target.written[item.base or item.field.name] = true
    end
  end
  return spelling.respell_keys(values, target.written)
end

-- Returns the values with the keys in the spelling of the fields; raises an error if a key is not a field.
local function respell_or_raise(target, values)
  values = M.respell(target, values)
  for name in pairs(values) do
    local field = target.by_name[name] or target.vectors[name]
    if not field or field.hidden then
      M.fail_unknown_field(target, name)
    end
  end
  return values
end

local function raise_read_only(target, field)
  report.raise("%s.%s is read-only", target.label, field.name)
end

local MAX_VALUES = 256
M.columns, M.numbers = ffi.new("uint32_t[?]", MAX_VALUES), ffi.new("double[?]", MAX_VALUES)

-- Template of check(given), which checks all values before any is written and returns a table without a metatable. It
-- counts the known keys that are present; after that many calls to `next`, any remaining key is unknown.
local CHECK = {
  head = "local function check(given)\nlocal values, seen, v = given, 0, nil\n"
    .. "if type(values) ~= 'table' then values = as_table(target, values) end\n"
    .. "if may_run_code(values) then values = plain_fields(target, values) end\n",
  number = "v = values[$NAME]\nif v ~= nil then seen = seen + 1\n"
    .. "if type(v) ~= 'number' then encode(target, fields[$AT], v, true) end $COUNTED$NAN\nend\n",
  layers = "v = values[$NAME]\nif v ~= nil then seen = seen + 1\n"
    .. "if type(v) ~= 'number' then v = layer_bits(target, fields[$AT], v) values = with(values, given, $NAME, v) end "
    .. "end\n",
  other = "v = values[$NAME]\nif v ~= nil then seen = seen + 1\n"
    .. "if type(v) == 'table' then v = plain_text(v, fields[$AT]) values = with(values, given, $NAME, v) end\n"
    .. "encode(target, fields[$AT], v, true) end\n",
  read_only = "v = values[$NAME]\nif v ~= nil then raise_read_only(target, fields[$AT]) end\n",
  vector = "v = values[$NAME]\nif v ~= nil then seen = seen + 1\n"
    .. "if may_run_code(v) then v = plain_vector(v) values = with(values, given, $NAME, v) end\n"
    .. "$PARTSend\n",
  list = "v = values[$NAME]\nif v ~= nil then seen = seen + 1\n"
    .. "v = check_list(target, fields[$AT], v) values = with(values, given, $NAME, v) end\n",
  part = "vector_part(target, $NAME, v, $AT)\n",
  limited_part = "check_part(target, $NAME, vector_part(target, $NAME, v, $AT), $AT)\n",
  step = "if seen >= $AT then key = next(values, key) end\n",
  tail = "if key ~= nil then return check(respell_or_raise(target, values)) end\nreturn values\nend\n",
}

local PACK = {
  head = "local function pack(given)\nlocal values, n, v, part = check(given), 0, nil, nil\n",
  number = "v = values[$NAME]\nif v ~= nil then\n$CLAMP\ncolumns[n], numbers[n], n = $COLUMN, v, n + 1 end\n",
  other = "v = values[$NAME]\n"
    .. "if v ~= nil then columns[n], numbers[n], n = $COLUMN, encode(target, fields[$AT], v), n + 1 end\n",
  vector = "v = values[$NAME]\nif v ~= nil then\n$PARTSend\n",
  list = "v = values[$NAME]\nif v ~= nil then n = pack_list(target, fields[$AT], v, n) end\n",
  part = "part = vector_part(target, $NAME, v, $AT)\n"
    .. "if part then columns[n], numbers[n], n = $COLUMN, part, n + 1 end\n",
  tail = "return n\nend\n",
}

-- Splits a template into its text and the keys that follow a $, which alternate.
local function split_template(template)
  local parts, position = {}, 1
  for key_start, key, key_end in template:gmatch("()%$(%u+)()") do
    parts[#parts + 1], parts[#parts + 2] = template:sub(position, key_start - 1), key
    position = key_end
  end
  parts[#parts + 1] = template:sub(position)
  return parts
end

for _, templates in ipairs { CHECK, PACK } do
  for name, template in pairs(templates) do
    templates[name] = split_template(template)
  end
end

-- Appends a template to the list of code `out`, with the values of its keys.
local function fill_template(out, template, values)
  for i = 1, template and #template or 0 do
    out[#out + 1] = i % 2 == 1 and template[i] or values[template[i]]
  end
end

local function quote(name)
  return string.format("%q", name) -- ("%q"):format would call the slower function for scripts
end

local function fill_field(out, templates, target, field, index)
  local kind = field.read_only and "read_only" or field.layers and templates.layers and "layers"
    or NUMBERS[field.type] and "number" or "other"
  local values = { NAME = quote(field.name), AT = index, COLUMN = field.column }
  if kind == "number" then
    local label, default = quote(target.label .. "." .. field.name), field.nan_default
    values.CLAMP = templates == PACK and number.clamp(field.type, label) or ""
    values.NAN = default and string.format("if v ~= v then v = replace_nan(%s, %.17g) "
      .. "values = with(values, given, %s, v) end", label, default, values.NAME) or ""
    values.COUNTED = number.generate_range_check(field, "v", "fields[" .. index .. "].range", label)
      .. (field.min_valid and "if v < 1 then warn_low(" .. label .. ", v, 1) end " or "")
  end
  fill_template(out, templates[kind], values)
end

local function fill_vector(out, templates, item)
  local parts = {}
  for i, part in ipairs(item.parts) do
    fill_template(parts, part.range and templates.limited_part or templates.part,
      { NAME = quote(item.base), AT = i, COLUMN = part.column })
  end
  fill_template(out, templates.vector, { NAME = quote(item.base), PARTS = table.concat(parts) })
end

-- Appends the code of a function to `out`.
local function generate_code(out, target, templates, fields)
  fill_template(out, templates.head)
  for index, item in ipairs(target.writable) do
    if item.field then
      fields[index] = item.field
      fill_field(out, templates, target, item.field, index)
    elseif item.list then
      fields[index] = item.list
      fill_template(out, templates.list, { NAME = quote(item.base), AT = index })
    else
      fill_vector(out, templates, item)
    end
  end
  if templates.step then
    out[#out + 1] = "local key = next(values)\n"
    for index = 1, #target.writable do
      fill_template(out, templates.step, { AT = index })
    end
  end
  fill_template(out, templates.tail)
end

local function convert_layers(target, field, v)
  return collision_layers.to_bits(target.label .. "." .. field.name, v)
end

local clamped_fields = {} ---@type table<engine.Field, engine.Field> field → its copy (M.with_clamping)

-- Returns a copy of a ranged field. Column proxies of the copy clamp each value when it is written. Used for columns
-- outside the world; the world's columns are clamped when the system ends. Returns a field without a range unchanged.
---@param field engine.Field
---@return engine.Field
function M.with_clamping(field)
  if not field.range then
    return field
  elseif not clamped_fields[field] then
    local clamped_range = { component = false }
    clamped_fields[field] = setmetatable({ range = setmetatable(clamped_range, { __index = field.range }) },
      { __index = field })
  end
  return clamped_fields[field]
end

-- Reports a part of a vector that is outside the field's range. C clamps the part.
local function check_part(target, base, part, i)
  if part then
    number.check_range(part, target.vectors[base][i].range, target.label .. "." .. base .. "." .. AXES[i], false)
  end
end

local function generate(target)
  local fields = {}
  local code = { "local target, fields, columns, numbers, encode, vector_part, as_table, respell_or_raise, "
    .. "raise_read_only, clamped, warn_low, may_run_code, plain_fields, plain_vector, plain_text, with, "
    .. "layer_bits, replace_nan, limited, check_part, check_list, pack_list = ...\n"
    .. "local type, next = type, next\n" }
  generate_code(code, target, CHECK, fields)
  generate_code(code, target, PACK, fields)
  code[#code + 1] = "return check, pack"
  local chunk = assert(loadstring(table.concat(code), "@[shoal]/schema/value.lua"))
  target.check, target.pack = chunk(target, fields, M.columns, M.numbers,
    M.encode, get_vector_part, to_table, respell_or_raise, raise_read_only, number.clamp_integer, M.warn_low,
    may_run_code, copy_fields, M.to_plain_vector, M.to_plain_text, copy_with, convert_layers, number.replace_nan,
    number.check_range,
    check_part, M.check_list, pack_list)
end

-- Checks the value of one field. Returns the value for the checked table, and true if it is a converted copy of `v` or
-- a replacement for NaN.
local function check_field(target, field, v)
  if field.read_only then
    raise_read_only(target, field)
  elseif not NUMBERS[field.type] then
    local is_converted = type(v) == "table"
    v = is_converted and M.to_plain_text(v, field) or v
    M.encode(target, field, v, true)
    return v, is_converted
  elseif field.layers then
    local is_converted = type(v) ~= "number"
    return is_converted and convert_layers(target, field, v) or v, is_converted
  elseif type(v) ~= "number" then
    M.encode(target, field, v, true)
  end
  local label, range, checked = target.label .. "." .. field.name, field.range, v
  if range and not (v >= range.low and v <= range.high) then
    checked = number.check_range(v, range, label, number.RANGES[field.type] ~= nil)
  end
  if field.min_valid and checked < 1 then
    M.warn_low(label, checked, 1)
  end
  if field.nan_default and checked ~= checked then
    return number.replace_nan(label, field.nan_default), true
  end
  return v, false
end

-- Like check_field, for a vector.
local function check_vector(target, base, parts, v)
  local is_converted = may_run_code(v)
  v = is_converted and M.to_plain_vector(v) or v
  for i, part in ipairs(parts) do
    local part_value = get_vector_part(target, base, v, i)
    if part.range then
      check_part(target, base, part_value, i)
    end
  end
  return v, is_converted
end

-- Does the same as the code generated from CHECK.
local function check_values(target, given)
  local values, seen = to_table(target, given), 0
  if may_run_code(values) then
    values = copy_fields(target, values)
  end
  for _, item in ipairs(target.writable) do
    local name = item.base or item.field.name
    local v, is_converted = values[name], true
    if v ~= nil then
      seen = seen + 1
      if item.field then
        v, is_converted = check_field(target, item.field, v)
      elseif item.list then
        v = M.check_list(target, item.list, v)
      else
        v, is_converted = check_vector(target, name, item.parts, v)
      end
      values = is_converted and copy_with(values, given, name, v) or values
    end
  end
  local key = next(values)
  for _ = 1, seen do
    key = next(values, key)
  end
  if key ~= nil then
    return check_values(target, respell_or_raise(target, values))
  end
  return values
end

-- Returns the number to store for a field that can be written.
local function encode_field(target, field, v)
  if not NUMBERS[field.type] then
    return M.encode(target, field, v)
  end
  return number.clamp_to_type(field.type, v, target.label .. "." .. field.name)
end

-- Does the same as the code generated from PACK.
local function pack_values(target, given)
  local columns, numbers = M.columns, M.numbers
  local values, n = check_values(target, given), 0
  for _, item in ipairs(target.writable) do
    local name = item.base or item.field.name
    local v = values[name]
    if v == nil then
      goto continue
    elseif item.list then
      n = pack_list(target, item.list, v, n)
    elseif item.field then
      columns[n], numbers[n], n = item.field.column, encode_field(target, item.field, v), n + 1
    end
    for i, part in ipairs(item.parts or {}) do
      local part_value = get_vector_part(target, name, v, i)
      if part_value then
        columns[n], numbers[n], n = part.column, part_value, n + 1
      end
    end
    ::continue::
  end
  return n
end

local MIN_USES = 16 -- number of calls for a target before its code is generated
local uses = {} ---@type table<engine.Target, integer> number of calls for each target without generated code

-- Counts a call for a target without generated code, and generates the code after MIN_USES calls. Returns true if the
-- target has generated code.
local function count_use(target)
  local count = (uses[target] or 0) + 1
  local is_generated = count > MIN_USES
  uses[target] = not is_generated and count or nil
  if is_generated then
    generate(target)
  end
  return is_generated
end

-- Checks values; an invalid value raises an error. Changes nothing and interns no strings. Returns the values as a
-- table without metatables, with lists and layer names converted: `values` itself if there is nothing to convert.
---@param target engine.Target
---@param values any
---@return table
function M.check(target, values)
  values = target.prepare and target.prepare(values) or values
  local plain
  if target.check or count_use(target) then
    plain = target.check(values)
  else
    plain = check_values(target, values)
  end
  return plain
end

-- Checks and converts values, and returns their number n. Until the next call, M.columns and M.numbers contain the
-- column and the stored number of each value, at indices 0 to n - 1.
---@param target engine.Target
---@param values any
---@return integer n
function M.pack(target, values)
  values = target.prepare and target.prepare(values) or values
  local n
  if target.check or count_use(target) then
    n = target.pack(values)
  else
    n = pack_values(target, values)
  end
  return n
end

-- Calls visit(column, number) for every field in `values`.
---@param target engine.Target
---@param values any
---@param visit fun(column: integer, number: number)
function M.visit_values(target, values, visit)
  local list = {}
  for i = 0, M.pack(target, values) - 1 do
    list[i + 1] = { M.columns[i], M.numbers[i] }
  end
  for _, item in ipairs(list) do
    visit(item[1], item[2])
  end
end

local function list_fields(target, path)
  local record = target.members
  if path then
    record = target.records[path]
  end
  if record then
    return record.names
  end
  local out = {}
  for _, item in ipairs(target.writable) do
    out[#out + 1] = item.base or item.field.name
  end
  return out
end

-- Returns the current name of the field whose former name is `name`; nil if no field had that name.
---@param schema engine.Schema
---@param name any
---@return string?
function M.find_renamed_field(schema, name)
  for new_name, names in pairs(schema.renamed_from or {}) do
    for _, old_name in ipairs(names) do
      if old_name == name then
        return new_name
      end
    end
  end
end

-- Raises the error for an unknown field. `path`: the record that lacks it, nil outside records.
---@param target engine.Target
---@param name any
---@param path? string
function M.fail_unknown_field(target, name, path)
  local fields, label = list_fields(target, path), target.label .. (path and "." .. path or "")
  if type(name) == "number" then
    report.raise("%s[%s]: the field comes first: use %s.%s", label, report.show(name), label,
      fields[1] or "field")
  end
  if name == "doc" and target.schema and target.schema.doc then
    report.raise("%s has no field doc: doc = \"…\" in its declaration describes it; declare a field of that name "
      .. "with a type, doc = shoal.types.string \"\"", target.label)
  end
  local full_path = path and path .. "." .. report.show(name) or name
  local new_name = target.schema and M.find_renamed_field(target.schema, full_path)
  if new_name then
    report.raise("%s has no field %s: renamed to %s", label, report.show(name), new_name)
  end
  local rename = target.schema and late_binding.renamed_field(target.schema.name, full_path)
  if rename then
    report.raise("%s has no field %s: %s", label, report.show(name), rename)
  end
  report.raise("%s has no field %s%s; available: %s", label, report.show(name),
    api_hints.suggest(label, name, fields, true),
    #fields > 0 and table.concat(fields, ", ") or "none (it is a tag)")
end

return M
