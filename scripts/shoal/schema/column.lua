-- Column proxies such as `q.transform.x`. A proxy is a reference to a column_view_t, which C fills when the query opens
-- and empties when it closes. Every access checks the index against the view's row count, so a script cannot read out
-- of bounds or use a column after its query was closed. A checked access compiles to a comparison and a load.
--
-- There is a proxy type for each element type, each list of enum choices, and each row lookup: `direct` (the loop index
-- is the row), `mapped` (through the query's row map) and `either` (decided on every access, for code that is not hot).
-- The view of a derived matrix holds the component's manager, which computes the value. The column of a derived number
-- is computed for all rows when a script first gets it (query_compute_derived). `frozen` proxies reject writes;
-- `marked` proxies record writes (schema/columns.h) in worlds that track them.
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local spelling = need("base/spelling")
local state = need("base/vm_state")
local text = need("base/string_table")
local weak_table = need("base/weak_table")
local number = need("math/number")
local vectors = need("math/vector")
local operator_errors = need("messages/operator_errors")
local collision_layers = need("schema/collision_layers")
local enum = need("schema/enum")
local list_type = need("schema/list")
local value_rules = need("schema/value")
local low = value_rules.warn_low
local ffi = abi.ffi

---@class engine.Column: ffi.cdata* a proxy of a column, which scripts see as shoal.Column

---@alias engine.Way "direct"|"mapped"|"either"

---@class engine.Shown a field, or any other value that is shown as a column
---@field name string
---@field type string
---@field choices? string[]
---@field read_only? boolean
---@field min_valid? number first valid number: smaller numbers are stored, with a warning
---@field layers? boolean true if scripts can assign layer names (schema/collision_layers.lua)
---@field derived? boolean calculated by C; `column` is then required
---@field column? integer the field's number, from 0
---@field nan_default? number number stored instead of NaN, if the field rejects NaN
---@field base? string for a part of a vector: the vector's name

---@class engine.column
local M = {}

-- Random member names: scripts can reach these structs but must not be able to access the members.
local SECRET = native.secret()
local DATA, ROWS, COUNT, FIRST, MARKS = SECRET .. "d", SECRET .. "r", SECRET .. "n", SECRET .. "c", SECRET .. "m"
local BITS = SECRET .. "b" -- the data as int32_t
local TRACKED = abi.C.world_tracks_touched_fields(abi.world)

local labels = weak_table("k") -- proxy → its label for messages, such as "transform.x"
local anchors = weak_table("k") -- proxy → its view, if Lua allocated the view

local function fail_out_of_range(proxy, index)
  local label = labels[proxy] or "a column"
  if type(index) ~= "number" then
    report.raise("%s is a column: index it with a number, not %s", label, report.show(index))
  end
  if proxy[COUNT] == 0 then
    report.raise("index %s of %s is out of range: the query has no rows (a column is valid only until its system "
      .. "ends or, outside systems, until the world changes)", report.show(index), label)
  end
  report.raise("index %s of %s is out of range: expected 1 to %d", report.show(index), label, proxy[COUNT])
end

local function fail_absent(proxy, index)
  report.raise("row %s has no %s: check q.has first", report.show(index),
    (labels[proxy] or "such component"):match("^[^.]*"))
end

local function fail_read_only(proxy)
  report.raise("%s %s", labels[proxy] or "this column", state.read_only
    and "cannot be written in " .. state.where or "is read-only")
end

M.DERIVED_IS_READ_ONLY = "is read-only, computed from other fields of %s: write these fields"

local function fail_derived(proxy)
  local label = labels[proxy]
  report.raise("%s " .. M.DERIVED_IS_READ_ONLY, label, label:match("^[^.]*"))
end

local function fail_arithmetic(a, b)
  local label = labels[a] or labels[b] or "this"
  report.raise("%s is a column, not a single value: index it by row, %s[i]", label, label)
end

-- Code that converts between stored elements and Lua values: `v` is the stored element, `value` is the value that a
-- script assigns.
local CODE = {
  number = { read = "v" },
  bool = { read = "v ~= 0", write = "to_bool(self, value)" },
  entity = { read = "handle(v)", write = "to_entity(self, value)" },
  string = { read = "text(v)", write = "to_string(self, value)" },
  enum = { read = "names[v]", write = "to_enum(self, value)" },
  mat4 = { read = "matrix(v)" },
}
local KIND_OF_TYPE = {
  bool = "bool", entity = "entity", string = "string", asset = "string", enum = "enum", mat4 = "mat4",
}

local function fail_type(proxy, expected, value)
  report.raise("%s must be %s, got %s", labels[proxy] or "this column", expected, report.describe(value))
end

-- Returns a matrix as a list of 16 numbers in column-major order.
---@param v ffi.cdata* const float *
---@return number[]
function M.read_matrix(v)
  local C = abi.C
  -- A single constructor, so that LuaJIT allocates the table once.
  return {
    C.columns_read_f32(v), C.columns_read_f32(v + 1), C.columns_read_f32(v + 2), C.columns_read_f32(v + 3),
    C.columns_read_f32(v + 4), C.columns_read_f32(v + 5), C.columns_read_f32(v + 6), C.columns_read_f32(v + 7),
    C.columns_read_f32(v + 8), C.columns_read_f32(v + 9), C.columns_read_f32(v + 10), C.columns_read_f32(v + 11),
    C.columns_read_f32(v + 12), C.columns_read_f32(v + 13), C.columns_read_f32(v + 14), C.columns_read_f32(v + 15),
  }
end

local derived_value = ffi.new("float[16]")

-- Computes a derived numeric field of one row.
---@param manager C.manager_o
---@param at integer the field's number, from 0
---@param row integer 0-based
---@return number
function M.compute_derived_number(manager, at, row)
  abi.C.manager_compute_derived_field(manager, at, nil, row, 1, derived_value)
  return abi.C.columns_read_f32(derived_value)
end

-- Computes a derived matrix field of one row. Returns the matrix in the format of M.read_matrix.
---@param manager C.manager_o
---@param at integer the field's number, from 0
---@param row integer 0-based
---@return number[]
function M.compute_derived_matrix(manager, at, row)
  abi.C.manager_compute_derived_field(manager, at, nil, row, 1, derived_value)
  return M.read_matrix(derived_value)
end

-- Writes a matrix. `value` must be a result of value.to_plain_matrix: a metamethod that changes the world would make
-- the address `v` stale.
---@param v ffi.cdata* float *
---@param value number[]
function M.write_matrix(v, value)
  for i = 1, 16 do
    v[i - 1] = value[i]
  end
end

-- Raises the error for a call such as q.entity.raw(q.body.x), in which `raw` comes from a column of a different type
-- than its first argument.
local function fail_other_column()
  report.raise("raw is a method of columns: call it with a colon, q.entity:raw(i)")
end

local LINKS = abi.C.world_links_written(abi.world)

local support = {
  is = ffi.istype,
  fail_other_column = fail_other_column,
  fail_out_of_range = fail_out_of_range,
  fail_absent = fail_absent,
  fail_read_only = fail_read_only,
  fail_derived = fail_derived,
  handle = handle.handle,
  text = text.get_text,
  to_bool = function(proxy, value)
    if type(value) ~= "boolean" then
      fail_type(proxy, "true or false", value)
    end
    return value and 1 or 0
  end,
  to_entity = function(proxy, value)
    local id = value == nil and 0 or handle.get_id(value)
    if not id then
      fail_type(proxy, "an entity", value)
    end
    LINKS[0] = 1
    return id
  end,
  to_string = function(proxy, value)
    if type(value) ~= "string" then
      fail_type(proxy, "a string", value)
    end
    return text.intern(value)
  end,
  to_name = function(proxy, value, kind)
    if type(value) ~= "string" then
      fail_type(proxy, "a string", value)
    end
    return text.intern(scope.value(kind, value))
  end,
  matrix = M.read_matrix,
  derived_matrix = M.compute_derived_matrix,
  set_matrix = M.write_matrix,
  plain_matrix = value_rules.to_plain_matrix,
  read_f32 = abi.C.columns_read_f32,
  read_f64 = abi.C.columns_read_f64,
}

function support.replace_nan(proxy, default)
  return (number.replace_nan(labels[proxy] or "this column", default))
end

function support.refused(value, proxy)
  number.raise_not_a_number(value, labels[proxy] or "this column")
end

function support.clamped(value, minimum, maximum, proxy)
  return number.clamp_integer(value, minimum, maximum, labels[proxy] or "this column")
end

local TEMPLATE = [[
local support, struct, names, numbers, range = ...
local is, fail_other_column = support.is, support.fail_other_column
local fail_out_of_range, fail_absent = support.fail_out_of_range, support.fail_absent
local fail_read_only, fail_derived = support.fail_read_only, support.fail_derived
local handle, text = support.handle, support.text
local to_bool, to_entity, to_string, to_name = support.to_bool, support.to_entity, support.to_string, support.to_name
local matrix, set_matrix, plain_matrix = support.matrix, support.set_matrix, support.plain_matrix
local read_f32, read_f64, clamped = support.read_f32, support.read_f64, support.clamped
local derived_matrix, replace_nan, limited = support.derived_matrix, support.replace_nan, support.limited
local refused = support.refused
local type, min, band = type, math.min, bit.band
local function to_enum(self, value)
  local number = numbers[value]
  if not number then
    support.fail_unknown_choice(self, value, numbers)
  end
  return number
end
local function raw(self, i)
  if not is(struct, self) then
    return fail_other_column()
  elseif type(i) == "number" and i >= 1 and i <= self.$COUNT then
    local row = $ROW
    if $PRESENT then
      return ($RAW)
    end
    return nil
  end
  return fail_out_of_range(self, i)
end
return {
  __index = function(self, i)
    if type(i) == "number" and i >= 1 and i <= self.$COUNT then
      local row = $ROW
      if $PRESENT then
        local v = $ELEMENT
        return $READ
      end
      return fail_absent(self, i)
    end
    if i == "raw" then
      return raw
    end
    return fail_out_of_range(self, i)
  end,
  __newindex = function(self, i, value)
    $PLAIN
    if type(i) == "number" and i >= 1 and i <= self.$COUNT then
      $WRITE
      return
    end
    return fail_out_of_range(self, i)
  end,
  __tostring = function(self)
    return support.label(self)
  end,
  __metatable = false,
}
]]

function support.fail_unknown_choice(proxy, value, numbers)
  report.raise("%s has no choice %s%s; available: %s", labels[proxy] or "this column", report.show(value),
    report.suggest(value, numbers), report.join_names(numbers))
end

-- Warns if a number is less than 1, the first valid frame.
function support.counted(proxy, v)
  if type(v) == "number" and v < 1 then
    low(labels[proxy] or "this column", v, 1)
  end
end

function support.name(proxy)
  return labels[proxy] or "this column"
end

support.limited, support.note_write = number.clamp_to_range, number.record_write
support.note_location = number.record_location

function support.layers(proxy, v)
  return collision_layers.to_bits(labels[proxy] or "this column", v)
end

function support.label(proxy)
  return string.format("column %s (%d rows)", labels[proxy] or "?", proxy[COUNT])
end

local WRITE = [[local row = $ROW
      if $PRESENT then
        $STORE
      else
        fail_absent(self, i)
      end]]

local ROW = {
  direct = "i - 1",
  mapped = "self." .. ROWS .. "[i - 1]",
  either = "self." .. ROWS .. " == nil and i - 1 or self." .. ROWS .. "[i - 1]",
}

-- Returns the code that precedes a store to a field with a range, and the code that follows the store. Values of
-- components are clamped when the system ends (ecs/ranges.h), so that a system may correct a value itself. Values of
-- events are clamped when they are stored.
local function generate_range_checks(field)
  if not field.range then
    return "", ""
  elseif not field.range.component then
    return number.generate_range_check(field, "value", "range", "support.name(self)"), ""
  elseif field.range.is_noted then
    return ("if self.%s[row] ~= value then support.note_location(range, %d, row) end\n        "):format(DATA,
      field.column), ""
  end
  return "", (" if not (value >= range.low and value <= range.high) then support.note_write(range, %d, row, "
    .. "support.name(self), value) end"):format(field.column)
end

local function generate_store(kind, field)
  local field_type, min_valid, is_layers = field.type, field.min_valid, field.layers
  local data, prefix, suffix = "self." .. DATA, generate_range_checks(field)
  if kind == "mat4" then
    return "set_matrix(" .. data .. " + row * 16, value)"
  elseif kind == "number" then
    return (min_valid and "support.counted(self, value)\n        " or is_layers
      and "if type(value) ~= 'number' then value = support.layers(self, value) end\n        " or "")
      .. prefix .. number.generate_nan_check(field, "value", "self")
      .. number.store(field_type, data .. "[row]", "self") .. suffix
  end
  local write = field.names and ("to_name(self, value, %q)"):format(field.names) or CODE[kind].write
  return "local stored = " .. write .. "\n        " .. data .. "[row] = stored"
end

local function generate_accessors(kind, field, access, read_only, marked)
  local field_type = field.type
  local data, bits = "self." .. DATA, "self." .. BITS
  local element = number.read(field_type, data, bits, "row")
  local matrix = kind == "mat4" and data .. " + row * 16"
  local is_calculated = field.derived and kind == "mat4"
  local calculated_matrix = is_calculated and ("derived_matrix(%s, %d, row)"):format(data, field.column)
  local values = {
    COUNT = COUNT,
    ROW = is_calculated and access == "direct" and "i - 1 + self." .. FIRST or ROW[access],
    PRESENT = access == "direct" and "true" or "row >= 0",
    RAW = calculated_matrix and calculated_matrix .. "[1]" or matrix and "read_f32(" .. matrix .. ")" or element,
    ELEMENT = calculated_matrix or matrix or element,
    READ = calculated_matrix and "v" or CODE[kind].read,
    PLAIN = kind == "mat4" and not read_only and "value = plain_matrix(value)" or "",
    STORE = generate_store(kind, field),
  }
  if marked then
    values.STORE = values.STORE .. "\n        self." .. MARKS .. "[row] = 1"
  end
  values.WRITE = read_only and (field.derived and "fail_derived(self)" or "fail_read_only(self)")
    or (WRITE:gsub("%$(%u+)", values))
  return (TEMPLATE:gsub("%$(%u+)", values))
end

local types = {} -- proxy types by key (see create_proxy_type)

local function create_struct(element)
  -- Uses int32_t for C's uint32_t: rows are below 2^31, and LuaJIT would compare unsigned integers as doubles.
  return ffi.typeof(string.format("struct { union { %s *%s; const int32_t *%s; }; const int32_t *%s; int32_t %s; "
    .. "int32_t %s; uint8_t *%s; }", element, DATA, BITS, ROWS, COUNT, FIRST, MARKS))
end

local function format_range_key(field)
  local range = field.range
  return range and table.concat({ range.low, range.high, range.component or "event", field.column }, " ") or ""
end

local function create_proxy_type(field, access, read_only, marked)
  local kind = KIND_OF_TYPE[field.type] or "number"
  local key = table.concat({ field.type, field.min_valid or "", field.derived and field.column or "", access,
    read_only and "frozen" or marked and "marked" or "open", field.nan_default or "",
    field.layers and "layers" or field.names or "", format_range_key(field),
    field.choices and table.concat(field.choices, "\n") or "" }, "|")
  local proxy_type = types[key]
  if proxy_type then
    return proxy_type
  end
  local struct = create_struct(field.derived and kind == "mat4" and "struct manager_o"
    or abi.element[abi.type_ids[field.type]])
  local names, numbers
  if field.choices then
    names, numbers = enum.get_names(field.choices), enum.get_numbers(field.choices)
  end
  local chunk = assert(loadstring(generate_accessors(kind, field, access, read_only, marked),
    "@[shoal]/schema/column.lua"))
  ffi.metatype(struct, operator_errors(chunk(support, struct, names, numbers, field.range), fail_arithmetic))
  proxy_type = ffi.typeof("$ *", struct)
  types[key] = proxy_type
  return proxy_type
end

-- Creates a proxy for the column_view_t at `view`. `label` names the column in errors. `anchor`: the view, if Lua
-- allocated it, so that the view lives as long as the proxy, which a script may store. `marked`: true if the view has
-- marks for written rows, which the proxy sets if the world tracks writes.
---@param view ffi.cdata* column_view_t *
---@param field engine.Shown
---@param label string
---@param access engine.Way
---@param read_only? boolean
---@param anchor? ffi.cdata*
---@param marked? boolean
---@return engine.Column
function M.create_proxy(view, field, label, access, read_only, anchor, marked)
  local proxy = ffi.cast(create_proxy_type(field, access, read_only or field.read_only, marked and TRACKED), view)[0]
  labels[proxy], anchors[proxy] = label, anchor
  return proxy
end

-- Returns the current number of rows of a column, or nil for any other value.
---@param v any
---@return integer?
function M.get_count(v)
  return type(v) == "cdata" and labels[v] and v[COUNT] or nil
end

-- The type of q.has.shield: element [i] is true if row i has the component.
local present_type
do
  local struct = create_struct("void")
  ffi.metatype(struct, {
    __index = function(self, i)
      if type(i) == "number" and i >= 1 and i <= self[COUNT] then
        local rows = self[ROWS]
        return rows == nil or rows[i - 1] >= 0
      end
      return fail_out_of_range(self, i)
    end,
    __newindex = fail_read_only,
    __metatable = false,
  })
  present_type = ffi.typeof("$ *", struct)
end

-- Creates the proxy for q.has.<component>.
---@param view ffi.cdata* column_view_t *
---@param label string
---@return ffi.cdata*
function M.create_presence(view, label)
  local proxy = ffi.cast(present_type, view)[0]
  labels[proxy] = label
  return proxy
end

-- Tables of proxies that reject unknown names. Scripts get an empty outer table, so that assigning to a whole column is
-- also an error instead of replacing the proxy. Vectors are nested tables: "tint.x" → tint = { x = … }, with the
-- aliases r g b a.
local ALIAS, AXES = { x = "r", y = "g", z = "b", w = "a" }, { "x", "y", "z", "w" }
local contents = weak_table("k") -- outer table → inner table with the proxies

-- Creates a table of proxies. Returns the outer and the inner table. `fail_missing(name)` raises the error for a read
-- of an unknown name, `fail_assignment(name)` the error for an assignment.
---@param fail_missing fun(name: any): any
---@param fail_assignment fun(name: any)
---@return table outer
---@return table inner
function M.create_strict_tables(fail_missing, fail_assignment)
  local inner = setmetatable({}, {
    __index = function(_, name)
      return fail_missing(name)
    end,
  })
  local outer = setmetatable({}, {
    __index = inner,
    __newindex = function(_, name)
      fail_assignment(name)
    end,
    __metatable = false,
  })
  contents[outer] = inner
  return outer, inner
end

-- Columns of derived numbers, by the inner table of their component: { compute, proxies = { name → proxy } }.
local derived_columns = weak_table("k")
local is_peeking = false

-- Sets whether reads from tables of proxies return columns of derived numbers without computing them.
---@param peeking boolean
function M.set_peeking(peeking)
  is_peeking = peeking
end

-- Adds the columns of a component's derived numbers, by name. `compute` computes them; it is called when one of them is
-- read from the table.
---@param target table outer or inner table
---@param columns table<string, engine.Column>
---@param compute fun()
function M.set_derived(target, columns, compute)
  derived_columns[contents[target] or target] = { compute = compute, proxies = columns }
end

-- Returns the columns of a component's derived numbers, by name.
---@param target table outer table
---@return table<string, engine.Column>
function M.get_derived(target)
  local derived = derived_columns[contents[target]]
  return derived and derived.proxies or {}
end

local function find_derived(inner, name)
  local derived = derived_columns[inner]
  local proxy = derived and derived.proxies[name]
  if proxy and not is_peeking then
    derived.compute()
  end
  return proxy
end

-- Creates a table of proxies whose errors name the table (`label`) and the kind of its members. Returns the outer and
-- the inner table.
---@param label string
---@param member_kind string kind of the members in messages: "field"
---@return table outer
---@return table inner
function M.create_strict_table(label, member_kind)
  local outer, inner
  outer, inner = M.create_strict_tables(function(name)
    local derived = find_derived(inner, name)
    if derived then
      return derived
    elseif type(name) == "number" then
      report.raise("%s[%s]: the row index comes last: use %s.%s[i]", label, report.show(name), label,
        report.join_names(inner):match("^[^,]+"))
    end
    local match = spelling.find(name, inner)
    if match then
      return rawget(inner, match)
    end
    local rename = late_binding.renamed_field(label, name)
    if rename then
      report.raise("%s has no %s %s: %s", label, member_kind, name, rename)
    end
    report.raise("%s has no %s %s%s; available: %s", label, member_kind, report.show(name),
      report.suggest(name, inner),
      report.join_names(inner))
  end, function(name)
    report.raise("%s.%s: assign to an element, %s.%s[i] = …", label, report.show(name), label, report.show(name))
  end)
  return outer, inner
end

-- Returns the object for a vector field such as q.body.place. Its fields x, y, … are the columns of the vector's parts;
-- its element [i] is the vector of row i (math/vector.lua).
local function create_vector(label, base, fields)
  local parts = {}
  for _, field in ipairs(fields) do
    parts[#parts + 1] = field.base == base and field or nil
  end
  local target = { label = label, vectors = { [base] = parts } }
  local strict, inner = M.create_strict_table(label .. "." .. base, "component")
  local outer = vectors.create_column(value_rules.get_vector_kind(parts), inner, function(i, value)
    if not vectors.IS_ROW[type(i)] then
      strict[i] = value
    end
    local new_parts = {}
    value = value_rules.to_plain_vector(value)
    for k = 1, #parts do
      new_parts[k] = value_rules.vector_part(target, base, value, k) or false
    end
    for k = 1, #parts do
      if new_parts[k] then
        inner[AXES[k]][i] = new_parts[k]
      end
    end
  end)
  contents[outer] = inner
  return outer
end

-- Returns the object for a list such as q.bag.items. `columns`: the list's columns by value number; [0] contains the
-- number of values. The caller completes this table later.
---@param label string name of the list in messages: "bag"
---@param count engine.Field
---@param fields engine.Field[]
---@param columns table<integer, engine.Column>
---@return table
function M.create_list(label, count, fields, columns)
  local list_fields = {}
  for _, field in ipairs(fields) do
    list_fields[#list_fields + 1] = field.base == count.base and field.list and field or nil
  end
  local _, _, _, lists = value_rules.index_fields(list_fields)
  return list_type.create_column(label .. "." .. count.base, lists[count.base], columns[0], columns)
end

-- Returns a proxy table's inner table.
---@param outer table
---@return any inner nil if M.create_strict_tables did not create the table
function M.get_contents(outer)
  return contents[outer]
end

-- Returns the table for a path through records, "colors.r", and the last name of the path. Creates the tables of the
-- records, whose errors name `label` and the record.
local function get_record_table(parent, path, label)
  local record, rest = path:match("^([^.]+)%.(.+)$")
  if not record then
    return parent, path
  end
  label = label .. "." .. record
  if not rawget(parent, record) then
    parent[record] = M.create_strict_table(label, "field")
  end
  return get_record_table(contents[parent[record]], rest, label)
end

-- Adds proxies for `fields` (an array) to a table. `create_proxy(field)` returns nil to omit the field.
---@param target table outer or inner table of M.create_strict_tables
---@param fields engine.Field[]
---@param label string
---@param create_proxy fun(field: engine.Field): engine.Column
---@param create_list? fun(name: string): any creates a list in place of its columns
function M.add_proxies(target, fields, label, create_proxy, create_list)
  target = contents[target] or target
  local lists = {} -- list's name → its columns by value number
  for _, field in ipairs(fields) do
    local proxy = not (field.list and create_list) and create_proxy(field) or nil
    local parent, name = get_record_table(target, field.base or field.name, label)
    if field.list then
      lists[field.base] = lists[field.base] or {}
      lists[field.base][field.list] = proxy
      if field.list == 0 then
        parent[name] = create_list and create_list(field.base) or M.create_list(label, field, fields, lists[field.base])
      end
    elseif field.base then
      if not rawget(parent, name) then
        parent[name] = create_vector(label, field.base, fields)
      end
      local vector, axis = contents[parent[name]], field.name:match("%a$")
      vector[axis], vector[ALIAS[axis]] = proxy, proxy
    elseif not field.hidden then
      parent[name] = proxy
    end
  end
end

return M
