-- Schemas of components, singles, events and behaviours' state, from a file's table to C. `read` checks a declaration and
-- gives plain data; `build` makes the C schema; nothing here touches the world.
local need = ...
local abi, report, types = need("abi"), need("report"), need("types")
local ffi, C = abi.ffi, abi.C

local M = {}

-- Methods of entities and columns: a field or component of that name could never be reached.
M.entity_methods = { "alive", "destroy", "has", "add", "set", "remove", "enter", "state", "children", "parent", "name",
  "assemblage", "describe", "send" }
local RESERVED_FIELDS = { alive = true, destroy = true, has = true, add = true, set = true, remove = true, enter = true,
  children = true, assemblage = true, describe = true, send = true, raw = true, renamed_from = true, migrate = true }
local RESERVED_COMPONENTS = { count = true, entity = true, instance = true, destroy_all = true }
for _, name in ipairs(M.entity_methods) do
  RESERVED_COMPONENTS[name] = true
end

local AXES = { "x", "y", "z", "w" }

local function check_name(name, what, at)
  if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") then
    report.fail { message = string.format("%s is not a name: letters, digits and _ only", report.plain(name)), file = at.file,
      line = report.line_of(at.text, name), piece = what }
  end
end

-- Plain data of one field, and of a vector's parts: { name, type, initial, text, choices, min, max, unit, doc, renamed_from }.
local function columns_of(name, field, out, renamed_from)
  local parts = types.VECTORS[field.type]
  if parts then
    for i = 1, parts do
      out[#out + 1] = { name = name .. "." .. AXES[i], type = "f32", initial = field.default[i], min = field.min,
        max = field.max, unit = field.unit, doc = field.doc, renamed_from = renamed_from and renamed_from .. "." .. AXES[i] }
    end
    return
  end
  local column = { name = name, type = field.type, initial = 0, choices = field.choices, min = field.min, max = field.max,
    unit = field.unit, doc = field.doc, renamed_from = renamed_from }
  if type(field.default) == "number" then
    column.initial = field.default
  elseif field.default == true then
    column.initial = 1
  elseif type(field.default) == "string" and field.type ~= "enum" then
    column.text = field.default
  end
  out[#out + 1] = column
end

-- at: { file, text } where it was declared. what: "component", "event", "behaviour". → { name, kind, origin, columns }
function M.read(name, declaration, what, at)
  check_name(name:gsub("^behaviour:.*$", "behaviour"), what, at)
  local function fail(field, message, ...)
    local place = what == "behaviour" and "state" or name
    report.fail { message = string.format(message, ...), file = at.file, line = report.line_of(at.text, place, field),
      piece = what .. " " .. name }
  end
  if what == "component" and RESERVED_COMPONENTS[name] then
    fail(nil, "a component cannot be called %s: entities have a method of that name", name)
  end
  local kind, fields = types.unwrap(declaration)
  if type(fields) ~= "table" or types.is_type(fields) then
    fail(nil, "%s %s is a table of fields, not a %s", what, name, type(fields))
  end
  local names = {}
  for field in pairs(fields) do
    if field ~= "renamed_from" and field ~= "migrate" then
      names[#names + 1] = field
    end
  end
  table.sort(names, function(a, b) return report.plain(a) < report.plain(b) end)
  local migrate = fields.migrate
  if migrate ~= nil and (type(migrate) ~= "function" or what == "event") then
    fail("migrate", what == "event" and "an event has no migrate: those in flight that do not fit are dropped"
      or "migrate of %s is a function: migrate = function(old, new, q) … end", name)
  end
  local renamed = fields.renamed_from or {}
  if type(renamed) ~= "table" then
    fail("renamed_from", "renamed_from of %s is a table of new names and old ones: { balance = \"stability\" }", name)
  end
  for new, old in pairs(renamed) do
    if fields[new] == nil or new == "renamed_from" or new == "migrate" then
      fail("renamed_from", "renamed_from of %s names a field that is not there: %s", name, report.plain(new))
    elseif type(old) ~= "string" or not old:match("^[%a_][%w_]*$") or #old > 45 then
      fail("renamed_from", "renamed_from.%s of %s is the old name of a field, not %s", new, name, report.plain(old))
    end
  end
  local columns = {}
  for _, field in ipairs(names) do
    check_name(field, what .. " " .. name, at)
    if RESERVED_FIELDS[field] or (what == "event" and field == "count") then
      fail(field, "the field %s of %s is called like a method: choose another name", field, name)
    end
    local meaning = types.field(fields[field])
    if not meaning or (meaning.type == "enum" and not meaning.choices) then
      fail(field, "the field %s of %s has no type: its default is a number, true or false, a text, a list of 2 to 4 numbers or "
        .. "one of shoal.types", field, name)
    end
    columns_of(field, meaning, columns, renamed[field])
  end
  if #columns > 64 then
    fail(nil, "%s has %d columns, 64 is the most", name, #columns)
  end
  return { name = name, kind = kind, columns = columns, migrate = migrate, at = at,
    origin = at.file .. ":" .. report.line_of(at.text, name) }
end

local KIND = { component = abi.kinds.component, many = abi.kinds.many, single = abi.kinds.single, event = abi.kinds.event }

-- The C schema; the caller frees it with C.declare_free.
function M.build(schema)
  local out = C.declare_schema(abi.world, schema.name, KIND[schema.kind], schema.origin)
  for _, column in ipairs(schema.columns) do
    local choices = column.choices and table.concat(column.choices, "\n") .. "\n" or nil
    if not C.declare_field(abi.world, out, column.name, abi.type_ids[column.type], column.initial, column.text, choices, abi.error) then
      C.declare_free(abi.world, out)
      report.fail { message = abi.error_text(), file = schema.at.file, line = report.line_of(schema.at.text, schema.name) }
    end
    if column.min or column.max then
      C.declare_range(out, column.min ~= nil, column.min or 0, column.max ~= nil, column.max or 0)
    end
    if column.renamed_from then
      C.declare_renamed(out, column.renamed_from)
    end
    if column.unit or column.doc then
      C.declare_words(abi.world, out, column.unit, column.doc)
    end
  end
  if schema.migrate then
    C.declare_migrates(out)
  end
  return out
end

-- Would the world take it? Throws with the difference when not.
function M.check(schema)
  local built = M.build(schema)
  local good = C.world_can_declare(abi.world, built, abi.error)
  C.declare_free(abi.world, built)
  if not good then
    report.fail { message = abi.error_text(), file = schema.at.file, line = report.line_of(schema.at.text, schema.name),
      piece = schema.kind .. " " .. schema.name }
  end
end

-- → the id in the world
function M.declare(schema)
  local built = M.build(schema)
  local id = C.world_declare(abi.world, built, abi.error)
  C.declare_free(abi.world, built)
  if id == 0 then
    report.fail { message = abi.error_text(), file = schema.at.file, line = report.line_of(schema.at.text, schema.name) }
  end
  return id
end

-- The fields of what C has, as data: an array of { name, type, column, choices, read_only, hidden }. `describe(i, …)` is like
-- C.view_field.
function M.fields_of(count, describe)
  local out = {}
  local type_id, flags = ffi.new("field_type_id_t[1]"), ffi.new("uint32_t[1]")
  local choices, choice_count = ffi.new("const char *[1]"), ffi.new("uint32_t[1]")
  for i = 0, count - 1 do
    local name = ffi.string(describe(i, type_id, flags, choices, choice_count))
    local field = { name = name, type = abi.type_names[type_id[0]], column = i, hidden = flags[0] % 2 == 1,
      read_only = math.floor(flags[0] / 2) % 2 == 1 }
    if field.type == "enum" then
      field.choices = {}
      local at = choices[0]
      for k = 1, choice_count[0] do
        field.choices[k] = ffi.string(at)
        at = at + #field.choices[k] + 1
      end
    end
    out[#out + 1] = field
  end
  return out
end

function M.fields(manager, event)
  return M.fields_of(C.view_field_count(manager, event), function(i, ...)
    return C.view_field(manager, event, i, ...)
  end)
end

return M
