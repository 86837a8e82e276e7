-- Components of this VM: built-in components, plugin components, and components that the game declares. While files
-- are loaded only names and fields are known, for checks; `bind` then creates the accessors to the managers.
--
-- e.health.hp goes through an accessor: a cdata struct with only the id and the row where it was last found (under
-- secret names), so LuaJIT can eliminate its allocation. A stored accessor stays valid: the cached row is used only
-- while its owner is that entity. world.lookup("health").hp[id] needs no accessor.
--
-- LuaJIT cannot compile a function that ends in a tail call into C (return struct(…), return band(…)) and blacklists it
-- after some attempts; every loop that calls it is then interpreted. Functions called from loops therefore assign the
-- result to a local first and return the local.
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local spelling = need("base/spelling")
local state = need("base/vm_state")
local text = need("base/string_table")
local number = need("math/number")
local vector_type = need("math/vector")
local api_hints = need("messages/api_hints")
local operator_errors = need("messages/operator_errors")
local column = need("schema/column")
local emitter = need("schema/emitter")
local enum = need("schema/enum")
local fast_commands = need("schema/fast_commands")
local collision_layers = need("schema/collision_layers")
local last_values = need("schema/last_values")
local list_type = need("schema/list")
local schema = need("schema/schema")
local value = need("schema/value")
local jit = require("jit")
local band, new_table = require("bit").band, require("table.new")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.Component: engine.Target
---@field kind "component"|"many"|"single"
---@field manager C.manager_o nil until the component is bound
---@field id integer the manager's id; nil until the component is bound
---@field stored integer number of fields with a column, which come first
---@field builtin? boolean true if C (the engine or a plugin) declares the component
---@field plugin? string the plugin's name
---@field schema? engine.Schema set if the game declares the component
---@field requires? string[] names of the components that this component directly requires
---@field functions? table<string, function> a behaviour's functions by name
---@field get table<string, fun(id: integer, hint?: integer): any> by field; return nil if the entity has no row
---@field set table<string, fun(id: integer, value: any, hint?: integer): boolean> by field; return
---false if the entity has no row
---@field get_row table<string, fun(row: integer): any> by field; `row` must be valid
---@field set_row table<string, fun(row: integer, value: any)> by field; `row` must be valid
---@field list_rows table<string, engine.ListRows> by list name: functions for the list's rows
---@field row_list_types table<string, fun(id: integer, instance: integer): ffi.cdata*> list accessor
---constructors, by list name
---@field find_row fun(id: integer): integer the row, -1 if the entity has no row
---@field get_kept_accessor fun(id: integer, row: integer): any like the constructor of the accessor, but returns the
---same accessor for an entity; only for components with one row per entity
---@field row_at fun(id: integer, at: integer): integer like find_row; `at`: row of the loop's query, from 0, or -1
---@field queued engine.Component|false the variant for entities whose spawn is queued; false: not created yet
---@field map_anchor ffi.cdata* the cdata that owns the memory of `map`; prevents its collection
---@field map ffi.cdata* `rows`: row map of the query that a loop iterates over, or NULL; `aligned`: 1
---if the component's rows are in the order of that query

---@class engine.component
---@field by_name table<string, engine.Component>
---@field metadata table<string, engine.Schema>
---@field ids table<integer, engine.Component> by the manager's id
---@field accessor table<string, fun(id: integer, hint: integer): any> constructors of the accessors e.NAME
---@field last_values table<string, fun(id: integer, hint: integer): any> constructors of accessors to last values
---@field lookup table<string, shoal.Columns> the results of world.lookup(NAME)
---@field single table<string, table<string, any>> the accessors world.single.NAME
---@field generated table<"accessor"|"lookup"|"single", table<string, any>>
-- `metadata`: schemas, by name, of components that are loaded only with --metadata. `renamed`: former component →
-- description of its new names (schema/renames.lua).
local M = { by_name = {}, metadata = {}, renamed = {} }
local SECRET = native.secret()
local ROW_HINT = SECRET .. "r"
local ENTITY_INDEX = handle.INDEX
local ACCESSOR = string.format("struct { int32_t %s; int32_t %s; }", SECRET, ROW_HINT)

-- --- descriptions

local function describe(name, kind, fields)
  -- `prepare`, `queued` and `check` are false instead of nil: for a missing key, every access would call `__index`
  -- (create_member), which is not compiled.
  local component = { name = name, label = name, kind = kind, fields = fields, prepare = false, queued = false,
    check = false }
  component.by_name, component.vectors, component.writable, component.lists, component.records,
    component.members = value.index_fields(fields)
  component.prepare = value.create_flattener(component) or false
  component.stored = #fields
  while component.stored > 0 and fields[component.stored].derived do
    component.stored = component.stored - 1
  end
  return component
end

local function describe_manager(manager)
  local kinds = { [0] = "component", "many", "single" }
  local desc = C.view_schema(manager, nil)
  local component = describe(ffi.string(desc.name), kinds[desc.kind], schema.list_fields(desc))
  local required = desc.required
  for i = 1, desc.required_count do
    component.requires = component.requires or {}
    component.requires[i] = ffi.string(required)
    required = required + #component.requires[i] + 1
  end
  component.manager, component.id = manager, manager.id
  return component
end

local FIRST = { sprite = { frame = 1 } } -- component → field that contains an index → its first valid number

-- --- built-in components whose name a game may use for its own (components/builtin.h)

-- Returns Shoal's component of this name, even if the game has its own.
---@param name string
---@return engine.Component
function M.find_builtin(name)
  local renamed = M.by_name["shoal." .. name]
  return renamed and renamed.builtin and renamed or M.by_name[name]
end

-- Updates the names of built-in components that C has renamed to shoal.NAME.
local function update_builtin_names()
  local renamed = {}
  for name, component in pairs(M.by_name) do
    if component.builtin and component.manager and ffi.string(C.view_schema(component.manager, nil).name) ~= name then
      renamed[#renamed + 1] = name
    end
  end
  for _, name in ipairs(renamed) do
    local component = M.by_name[name]
    component.name = "shoal." .. name
    component.label = component.name
    M.by_name[name], M.by_name[component.name] = nil, component
  end
end

-- Renames Shoal's component to shoal.NAME, because the game declares a component of the same name. Returns true
-- on success, or false if Shoal has no component of this name, or if the component cannot be renamed.
---@param name string
---@return boolean
function M.release_name(name)
  local component = M.by_name[name]
  if not component or not component.builtin or component.plugin or not C.builtin_release_name(W, name, "the game") then
    return false
  end
  update_builtin_names()
  return true
end

local KIND_OF_TEXT = { bind = "path", emits = "event", style = "style" }

-- Marks the fields of engine and plugin components that accept layer names, and the string fields that contain
-- names.
local function mark_names(component)
  for _, field in ipairs(component.fields) do
    field.layers = (field.name == "category" or field.name == "mask") and field.type == "u32" or nil
    field.names = field.names or field.type == "string" and KIND_OF_TEXT[field.name] or nil
  end
end

-- Adds the components declared by plugins; called after the plugins are opened.
function M.add_plugins()
  update_builtin_names()
  for id = 1, C.world_manager_count(W) do
    local manager = C.world_manager(W, id)
    local plugin = ffi.string(C.view_schema(manager, nil).origin):match("^plugin (.*)$")
    if plugin then
      local component = describe_manager(manager)
      component.builtin, component.plugin = true, plugin
      mark_names(component)
      M.by_name[component.name] = component
    end
  end
end

-- Registers the components that C has declared. Components that the game declared in an earlier VM are skipped.
for id = 1, C.world_manager_count(W) do
  local manager = C.world_manager(W, id)
  if ffi.string(C.view_schema(manager, nil).origin) == "C" then
    local component = describe_manager(manager)
    component.builtin = true
    mark_names(component)
    local prepare = component.name == "emitter" and emitter.prepare
      or component.name == "trail" and emitter.prepare_trail
      or component.name == "emitter_forces" and emitter.prepare_forces
    component.prepare = prepare and function(values)
      return prepare(value.respell(component, values))
    end or nil
    for field, min_valid in pairs(FIRST[component.name] or {}) do
      component.by_name[field].min_valid = min_valid
    end
    M.by_name[component.name] = component
  end
end

-- Adds a checked declaration (schema.read); `bind` completes it.
---@param declaration engine.Schema
---@return engine.Component
function M.add_declared(declaration)
  local component = describe(declaration.name, declaration.kind, declaration.fields)
  component.schema, component.requires = declaration, declaration.requires
  M.by_name[declaration.name] = component
  return component
end

-- Raises an error if `name` is a metadata component that is not loaded.
---@param name any
---@param caller string name of the calling function, which begins the message
function M.refuse_metadata(name, caller)
  if name ~= nil and M.metadata[name] and not M.by_name[name] then
    report.raise("%s: %s is metadata, which is not loaded: use --metadata", caller, name)
  end
end

-- Returns a suggestion for a message: " (did you mean q.health.hp?)" if one of these components has a field `name`,
-- else "".
---@param name string
---@param owner string expression that has the components as members: "q" or "e"
---@param component_names string[]
---@return string
function M.suggest_member(name, owner, component_names)
  for _, component_name in ipairs(component_names) do
    local component = M.by_name[component_name]
    if component and component.kind ~= "single" and (component.by_name[name] or component.vectors[name]) then
      return string.format(" (did you mean %s.%s.%s?)", owner, component_name, name)
    end
  end
  return ""
end

-- Lists the components that have this field, transform first: "transform (and of emitter), transform = { x = … }".
local function list_owners(owners, field)
  table.sort(owners, function(a, b)
    if (a == "transform") ~= (b == "transform") then
      return a == "transform"
    end
    return a < b
  end)
  local first_owner = table.remove(owners, 1)
  local other_owners = #owners > 0 and " (and of " .. report.join_names(owners) .. ")" or ""
  return string.format("%s%s, %s = { %s = … }", first_owner, other_owners, first_owner, field)
end

-- Returns the hint at the end of the message about an unknown component, such as its new name, the nearest name, or the
-- components that have a field of that name.
---@param name any
---@return string
function M.hint(name)
  local renamed = M.renamed[scope.name("component", name)]
  if renamed then
    return ": " .. renamed
  end
  local hint, nearest = api_hints.find_hint("component", name), report.find_nearest(name, M.by_name)
  if hint ~= "" and not (nearest and M.by_name[nearest].schema) then
    return hint
  elseif late_binding.is_assemblage(name) then
    return string.format(": %s is an assemblage; to query for it, declare a tag %s = {} in components.lua and add it "
      .. "to its components", name, name)
  end
  local owners = {}
  for component_name, component in pairs(M.by_name) do
    if component.kind ~= "single" and (component.by_name[name] or component.vectors[name]) then
      owners[#owners + 1] = component_name
    end
  end
  if report.find_nearest(name, M.by_name) or #owners == 0 then
    return report.hint(name, M.by_name)
  end
  return string.format(": %s is a field of %s", name, list_owners(owners, name))
end

-- Returns the component `name`; raises an error if it is unknown.
---@param name any
---@param caller string name of the calling function, which begins the message
---@return engine.Component
function M.find(name, caller)
  local component = M.by_name[name]
  if not component then
    M.refuse_metadata(name, caller)
    report.raise("%s: unknown component %s%s", caller, report.show(name), M.hint(name))
  end
  return component
end

-- --- error messages, all on slow paths

-- Returns the end of the string that print(e.transform) shows: ": x = 10, y = 20".
local function format_fields(component, id)
  local out = {}
  component = component.manager and M.resolve_queued(component, id) or component
  local manager = component.manager
  local row = handle.is_alive(id) and manager and C.manager_find_instance_row(manager, id, 0) or abi.NO_ROW
  for _, item in ipairs(row ~= abi.NO_ROW and component.writable or {}) do
    local parts = { item.list and list_type.format(component.list_rows[item.base], row) }
    for k, part in ipairs(item.list and {} or item.parts or { item.field.type ~= "mat4" and item.field or nil }) do
      local v = component.get_row[part.name](row)
      parts[k] = type(v) == "number" and string.format("%.6g", v) or type(v) == "string" and string.format("%q", v)
        or tostring(v)
    end
    if #parts > 0 then
      out[#out + 1] = (item.base or item.field.name) .. " = "
        .. (item.parts and "{ " .. table.concat(parts, ", ") .. " }" or parts[1])
    end
  end
  return #out > 0 and ": " .. table.concat(out, ", ") or ""
end

-- Returns an element of a paged array (ecs/sparse_array.h), 0 if its page is missing.
local function read_paged_value(pages, index)
  local page = pages[math.floor(index / 4096)]
  return page ~= nil and page[index % 4096] or 0
end

-- Describes an id that is not alive: "entity(7:2) is dead: destroyed at tick 12 by system bullets".
---@param id integer
---@return string
function M.describe_dead(id)
  local index = handle.index(id)
  local label = string.format("entity(%d:%d)", index, handle.get_generation(id))
  if id == 0 then
    return "shoal.none is not an entity"
  end
  if index == 0 or id >= 0x40000000 or index >= abi.entities.used then
    return label .. " never existed"
  end
  if handle.is_alive(id) then
    return label .. " is alive"
  end
  local system_name_id = read_paged_value(abi.entities.died_by, index)
  return string.format("%s is dead: destroyed at tick %d by %s", label, read_paged_value(abi.entities.died_tick, index),
    system_name_id ~= 0 and "system " .. text.get_text(system_name_id) or "a script outside systems")
end

-- Returns the id of the first entity with this name; nil if no entity has it.
---@param name string
---@return integer?
function M.find_entity(name)
  local name_id, manager = text.find(name), M.by_name.name.manager
  local values = abi.ffi.cast("uint32_t *", manager.data[0])
  for row = 0, name_id ~= 0 and manager.count - 1 or -1 do
    if values[row] == name_id then
      return manager.owner[row]
    end
  end
end

-- Returns the name of an entity for messages: entity(7:2 "hero"), with its assemblage if it has no name.
---@param id integer
---@return string
function M.format_title(id)
  local index = handle.index(id)
  if not handle.is_alive(id) then
    return M.describe_dead(id)
  end
  local name = M.by_name.name
  local label = name and name.get and name.get.value(id) or nil
  if label and label ~= "" then
    return string.format("entity(%d:%d \"%s\")", index, handle.get_generation(id), label)
  end
  local assemblage = abi.entities.assemblage[index]
  if assemblage ~= 0 then
    return string.format("entity(%d:%d %s)", index, handle.get_generation(id), text.get_text(assemblage))
  end
  return string.format("entity(%d:%d)", index, handle.get_generation(id))
end

-- Raises the error for an entity that has no row of a component.
---@param component engine.Component
---@param id integer
local function fail_missing(component, id)
  if not handle.is_alive(id) then
    report.raise("%s (check with e:alive())", M.describe_dead(id))
  elseif not handle.is_queued(id) and C.world_is_component_pending(W, id, component.id) then
    report.raise("%s has no %s until this system ends: pass values to world.spawn or e:add, or write them with "
      .. "e:set", M.format_title(id), component.name)
  end
  report.raise("%s has no %s: check e:has(\"%s\") first, or use e:add(\"%s\")", M.format_title(id), component.name,
    component.name, component.name)
end

-- Returns the last value of a field whose row no longer exists. Raises an error if the value cannot be read, as when
-- neither the `leave` of this entity nor the handler of an event that named it is running.
local function read_last_value(component, id, name)
  local v = last_values.get_field(component, id, name)
  if v == nil then
    fail_missing(component, id)
  end
  return v
end

-- --- generated access

-- Reserves hash slots for these keys, so that adding them later does not rehash the table. Compiled code specializes on
-- the hash slot of a key; once the key has moved, it takes a side exit in every iteration.
local function reserve_keys(t, names)
  for name in pairs(names) do
    rawset(t, name, true)
  end
  for name in pairs(names) do
    rawset(t, name, nil)
  end
end

-- Returns a set with the keys of several tables.
local function collect_keys(...)
  local keys = {}
  for _, t in ipairs { ... } do
    for key in pairs(t) do
      keys[key] = true
    end
  end
  return keys
end

-- Returns a table whose values are generated on first access, because most scripts use few fields. `names` contains all
-- possible keys. `generate_value` is never compiled: a trace recorded while it runs would always contain the call
-- and could not be part of a loop.
local function create_generated_table(generate, names)
  local out = {}
  reserve_keys(out, names)
  local function generate_value(t, name)
    local new_value = generate(name)
    if new_value ~= nil then
      rawset(t, name, new_value)
    end
    return new_value
  end
  jit.off(generate_value)
  return setmetatable(out, { __index = generate_value })
end

-- Uses int32_t for C's uint32_t: rows and ids are below 2^31, and LuaJIT converts unsigned integers through doubles.
local managers = {} -- element type → type of a pointer to a manager whose columns have this element type
local function cast_manager(manager, element)
  if not managers[element] then
    managers[element] = ffi.typeof(string.format("struct { int32_t **pages; int32_t *owner; %s **data; int32_t count; "
      .. "int32_t page_count; int32_t id; uint32_t *instance; uint32_t *next; } *", element))
  end
  return ffi.cast(managers[element], manager)
end

-- Code that finds an entity's row. `hint` is the row's last known index, nil or -1 if unknown; if the row has moved, it
-- is looked up. For the current entity of a loop over an aligned query the row is not checked: rows do not move while a
-- query is open.
local ROW = [[
local band, rshift = bit.band, bit.rshift
local function find_row(id)
  local page = band(rshift(id, 8), 16383) -- a page has 2^8 entries (INDEX_PAGE in ecs/index.h)
  if page < m.page_count then
    local rows = m.pages[page]
    if rows ~= nil then
      local row = rows[band(id, 255)] - 1
      if row >= 0 and m.owner[row] == id then
        return row
      end
    end
  end
  return -1
end
local function row_from(id, hint)
  if hint and hint >= 0 then
    if map.aligned ~= 0 and is_at(id, hint) or hint < m.count and m.owner[hint] == id then
      return hint
    end
  end
  local row = find_row(id)
  return row
end
]]

local DECODE = {
  bool = "v ~= 0", entity = "support.handle(v)", string = "support.text(v)", asset = "support.text(v)",
  enum = "names[v]",
}

-- Functions that access a field. get(id, hint) returns the value; if the entity has no row, it returns nil or, if the
-- entity's spawn is queued, the value that the field will have (M.queued_value). set(id, value, hint) returns false if
-- the entity has no row. get_row(row) and set_row(row, value) require a valid row.
local FIELD = [[
local bit, support, m, field, names, marks, bits = ...
local text, read_f32, read_f64 = support.text, support.read_f32, support.read_f64
local clamped, label, replace_nan, limited = support.clamped, support.label, support.replace_nan, support.limited
local map, is_at, queued, refused = support.map, support.is_at, support.queued, support.refused
local type, min = type, math.min
]] .. ROW .. [[
local encode, target, range, numbers = support.encode, support.target, support.range, support.numbers
local function get(id, hint)
  local row = row_from(id, hint)
  if row >= 0 then
    local v = $ELEMENT
    return $READ
  end
  local queued_value = queued(id)
  return queued_value
end
local function set(id, value, hint)
  $PLAIN
  local row = row_from(id, hint)
  if row >= 0 then
    $STORE
    $MARK
    return true
  end
  return false
end
local function get_row(row)
  local v = $ELEMENT
  return $READ
end
local function set_row(row, value) -- `value` has no metatable
  $STORE
  $MARK
end
return get, set, get_row, set_row
]]

-- Source code of matrix accessors, like FIELD. Scripts read a matrix as a list of 16 numbers, and assign a list or
-- a shoal.mat4.
local MATRIX = [[
local bit, plain_matrix, m, read_matrix, write_matrix, marks, map, is_at, queued = ...
]] .. ROW .. [[
local function get(id, hint)
  local row = row_from(id, hint)
  return row >= 0 and read_matrix(m.data[$COLUMN] + row * 16) or queued(id)
end
local function set(id, value, hint)
  value = plain_matrix(value)
  local row = row_from(id, hint)
  if row >= 0 then
    write_matrix(m.data[$COLUMN] + row * 16, value)
    $MARK
    return true
  end
  return false
end
return get, set, function(row) return read_matrix(m.data[$COLUMN] + row * 16) end,
  function(row, value) write_matrix(m.data[$COLUMN] + row * 16, value) $MARK end
]]

local NUMERIC = value.NUMBERS

-- Access functions of a derived field, which is read-only: like the functions in FIELD, except that set(id) always
-- returns false and that there is no set_row.
local DERIVED = [[
local bit, m, derive, manager, map, is_at, queued = ...
]] .. ROW .. [[
local function get(id, hint)
  local row = row_from(id, hint)
  return row >= 0 and derive(manager, $COLUMN, row) or queued(id)
end
return get, function() return false end, function(row) return derive(manager, $COLUMN, row) end
]]

-- Worlds that track writes have a column of marks for each field, after the values (schema/columns.h).
local TRACKED = C.world_tracks_touched_fields(W)

-- Returns an enum field's choice names, indexed from 0; nil for other fields.
local function get_choice_names(field)
  return field.choices and enum.get_names(field.choices)
end

-- Returns an enum field's numbers by choice; nil for other fields.
local function get_choice_numbers(field)
  return field.choices and enum.get_numbers(field.choices)
end

-- Returns the function that reads a field of an entity that has no row, because its spawn may be queued.
local function create_queued_reader(component, name)
  return function(id)
    local v = M.queued_value(component, id, name)
    return v
  end
end

local derive_matrix, derive_number = column.compute_derived_matrix, column.compute_derived_number

local function generate_derived_accessor(component, field, manager, queued)
  local chunk = assert(loadstring((DERIVED:gsub("%$COLUMN", tostring(field.column))), "@[shoal]/schema/component.lua"))
  return chunk(require("bit"), manager, field.type == "mat4" and derive_matrix or derive_number, component.manager,
    component.map, handle.is_at, queued)
end

-- Returns code that converts `value` to the number stored in its column. The numbers of an enum's choices are looked up
-- here: value.encode would first look up the map of the choices.
local function encode_value(field, name)
  return ("local stored = %sencode(target, %s, value)\n    "):format(field.choices and "numbers[value] or " or "", name)
end

local function generate_accessor(component, field)
  local queued = create_queued_reader(component, field.name)
  local manager = cast_manager(component.manager, abi.element[abi.type_ids[field.type]])
  local marks = TRACKED and cast_manager(component.manager, "uint8_t") or nil
  local mark = (TRACKED and ("marks.data[%d][row] = 1 "):format(component.stored + field.column) or "")
    .. (field.type == "entity" and "support.links[0] = 1" or "")
  if field.derived then
    return generate_derived_accessor(component, field, manager, queued)
  end
  if field.type == "mat4" then
    local code = MATRIX:gsub("%$(%u+)", { COLUMN = tostring(field.column), MARK = mark })
    local chunk = assert(loadstring(code, "@[shoal]/schema/component.lua"))
    return chunk(require("bit"), value.to_plain_matrix, manager, column.read_matrix, column.write_matrix, marks,
      component.map, handle.is_at, queued)
  end
  local data, bits = ("m.data[%d]"):format(field.column), ("bits.data[%d]"):format(field.column)
  local code = FIELD:gsub("%$(%u+)", {
    MARK = mark,
    ELEMENT = number.read(field.type, data, bits, "row"),
    READ = DECODE[field.type] or "v",
    STORE = NUMERIC[field.type] and (field.min_valid and "support.counted(value)\n    " or field.layers
      and "if type(value) ~= 'number' then value = support.layers(label, value) end\n    " or "")
      .. number.generate_range_check(field, "value", "range", "label")
      .. number.generate_nan_check(field, "value", "label")
      .. number.store(field.type, data .. "[row]", "label")
      or encode_value(field, "field") .. data .. "[row] = stored",
    PLAIN = value.is_list(field) and "value = support.plain_text(value, field)" or "",
  })
  local support = { handle = handle.handle, text = text.get_text, encode = value.encode, target = component,
    clamped = number.clamp_integer, limited = number.clamp_to_range, range = field.range,
    replace_nan = number.replace_nan, refused = number.raise_not_a_number, layers = collision_layers.to_bits,
    plain_text = value.to_plain_text, read_f32 = C.columns_read_f32, read_f64 = C.columns_read_f64,
    links = C.world_links_written(W), map = component.map, is_at = handle.is_at, queued = queued,
    label = component.label .. "." .. field.name, numbers = get_choice_numbers(field) }
  function support.counted(v)
    if v < field.min_valid then
      value.warn_low(support.label, v, field.min_valid)
    end
  end
  local chunk = assert(loadstring(code, "@[shoal]/schema/component.lua"))
  return chunk(require("bit"), support, manager, field, get_choice_names(field), marks,
    cast_manager(component.manager, "int32_t"))
end

-- Functions for the rows of a list (engine.ListRows).
local LIST = [[
local bit, support, m, fields, names, marks, bits, counts = ...
local band = bit.band
local text, read_f32, read_f64 = support.text, support.read_f32, support.read_f64
local clamped, label = support.clamped, support.label
local encode, target, min, refused = support.encode, support.target, math.min, support.refused
local type, numbers, new_table = type, support.numbers, support.new_table
local function count(row)
  local n = counts.data[$COUNT][row]
  return n
end
local function read(row, k)
  local v = $ELEMENT
  return $READ
end
local function write(row, k, value)
  $STORE
  $MARK
end
local function clear(row, k)
  $DATA[row] = 0
  $MARK
end
local function set_count(row, n)
  counts.data[$COUNT][row] = n
  $COUNT_MARK
end
local function copy(row)
  local n = counts.data[$COUNT][row]
  local out = new_table(n, 0)
  for k = 1, n do
    local v = $ELEMENT
    out[k] = $COPY
  end
  return out
end
return count, read, write, clear, set_count, copy
]]

local function generate_list_rows(component, list)
  local manager = cast_manager(component.manager, abi.element[abi.type_ids[list.type]])
  local counts = cast_manager(component.manager, "uint8_t") -- counts and change marks are both stored as u8
  local count_column, first_mark = list.count.column, component.stored + list.count.column
  local data, bits = ("m.data[%d + k]"):format(count_column), ("bits.data[%d + k]"):format(count_column)
  local stores = NUMERIC[list.type] and number.store(list.type, data .. "[row]", "label")
    or encode_value(list.values[1], "fields[k]") .. data .. "[row] = stored"
  local links = list.type == "entity" and " support.links[0] = 1" or ""
  local code = LIST:gsub("%$([%u_]+)", { COUNT = tostring(count_column), DATA = data, STORE = stores,
    ELEMENT = number.read(list.type, data, bits, "row"), READ = DECODE[list.type] or "v",
    COPY = list.type == "entity" and "support.find_handle(v)" or DECODE[list.type] or "v",
    MARK = (TRACKED and ("marks.data[%d + k][row] = 1"):format(first_mark) or "") .. links,
    COUNT_MARK = TRACKED and ("marks.data[%d][row] = 1"):format(first_mark) or "" })
  local label = component.label .. "." .. list.name
  local support = { handle = handle.handle, text = text.get_text, encode = value.encode, target = component,
    clamped = number.clamp_integer, refused = number.raise_not_a_number, read_f32 = C.columns_read_f32,
    read_f64 = C.columns_read_f64,
    links = C.world_links_written(W), label = label, numbers = get_choice_numbers(list.values[1]),
    find_handle = handle.find_handle,
    new_table = new_table }
  local rows = { target = component, list = list, label = label }
  local chunk, names = assert(loadstring(code, "@[shoal]/schema/component.lua")), get_choice_names(list.values[1])
  rows.count, rows.read, rows.write, rows.clear, rows.set_count, rows.copy = chunk(require("bit"), support, manager,
    list.shown, names, counts, cast_manager(component.manager, "int32_t"), counts)
  return rows
end

-- --- entities whose spawn is queued (ecs/queued_entities.h)

-- Queues a write to a component whose addition is still in the command queue. Raises an error if no queued command adds
-- the component. `instance`: string id of the instance's name for a `many` component, otherwise 0.
local function queue_number(component, id, instance, column_index, stored_number)
  if not (handle.is_alive(id) and C.world_is_component_pending(W, id, component.id)) then
    fail_missing(component, id)
  elseif not C.world_set_field(W, id, component.id, instance, column_index, stored_number, abi.error) then
    report.raise("%s", abi.get_error_text())
  end
end

-- Queues writes to a field by its name in scripts, which may denote a vector. Raises the same errors as queue_number.
local function queue_value(component, id, instance, name, v)
  value.visit_values(component, { [name] = v }, function(column_index, stored_number)
    queue_number(component, id, instance, column_index, stored_number)
  end)
end

-- Queues a write to one field, whose value may be of any type. Raises the same errors as queue_number.
local function queue_field(component, id, instance, field, v)
  if field.type == "mat4" then
    queue_value(component, id, instance, field.name, v)
  else
    queue_number(component, id, instance, field.column, NUMERIC[field.type] and v or value.encode(component, field, v))
  end
end

-- Returns functions for the rows of a list in the manager for queued entities, which can be read but not written.
local function create_queued_list_rows(queued, list)
  local rows = generate_list_rows(queued, list)
  local function queue(row, field, stored_number)
    local instance = queued.kind == "many" and queued.manager.instance[row] or 0
    queue_number(queued, queued.manager.owner[row], instance, field.column, stored_number)
    C.queued_entities_update(W)
  end
  function rows.write(row, k, v)
    queue(row, list.values[k], value.encode(queued, list.shown[k], v))
  end
  function rows.clear(row, k)
    queue(row, list.values[k], 0)
  end
  function rows.set_count(row, n)
    queue(row, list.count, n)
  end
  return rows
end

-- Returns a variant of the component for entities whose spawn is queued: their rows are in a separate manager. The
-- variant's `get_row` has no derived fields, because these are computed from all rows when the system ends.
local function get_queued_component(component)
  if not component.queued then
    local queued = setmetatable({ manager = C.queued_manager(W, component.id) }, { __index = component })
    queued.get_row = create_generated_table(function(name)
      local field = component.by_name[name]
      if not field or field.hidden or field.derived then
        return nil
      end
      local _, _, get_row = generate_accessor(queued, field)
      return get_row
    end, component.by_name)
    queued.set_row = create_generated_table(function(name)
      local field = component.by_name[name]
      return field and function(row, v)
        local instance = component.kind == "many" and queued.manager.instance[row] or 0
        queue_field(component, queued.manager.owner[row], instance, field, v)
      end
    end, component.by_name)
    queued.list_rows = create_generated_table(function(name)
      return component.lists[name] and create_queued_list_rows(queued, component.lists[name])
    end, component.lists)
    component.queued = queued
  end
  C.queued_entities_update(W)
  return component.queued
end

-- Returns the component, or its variant for queued entities, whose `manager` and `get_row` access the entity's rows.
---@param component engine.Component
---@param id integer
---@return engine.Component
function M.resolve_queued(component, id)
  return handle.is_queued(id) and get_queued_component(component) or component
end

-- Returns true if an entity has a component, or will have it when its queued spawn is applied.
---@param component engine.Component
---@param id integer
---@return boolean
function M.has(component, id)
  local has = C.world_has_component(W, id, component.id)
  return has or handle.is_queued(id)
    and C.queued_row(W, id, component.id) ~= abi.NO_ROW
end

-- Returns the value that a field of an entity will have; nil if its spawn is not queued, or if it will have no row.
-- Raises an error for a derived field.
---@param component engine.Component
---@param id integer
---@param name string
---@return any
function M.queued_value(component, id, name)
  if not handle.is_queued(id) then
    return nil
  end
  local variant = get_queued_component(component)
  local row = C.manager_find_instance_row(variant.manager, id, 0)
  if row ~= abi.NO_ROW and component.by_name[name].derived then
    report.raise("%s.%s of %s is computed when this system ends: read it in a later system or tick", component.name,
      name, M.format_title(id))
  elseif row ~= abi.NO_ROW then
    return variant.get_row[name](row)
  end
end

local fail_unknown_field = value.fail_unknown_field

local function check_number(component, name, v)
  if type(v) ~= "number" then
    report.raise("%s.%s must be a number, got %s", component.name, name, report.describe(v))
  end
end

-- Converts layer names to their bits. Returns numbers unchanged, and raises an error for any other value.
local function to_number(component, name, v)
  local field = type(v) ~= "number" and component.by_name[name]
  if field and field.layers then
    v = collision_layers.to_bits(component.label .. "." .. name, v)
  end
  check_number(component, name, v)
  return v
end

-- Returns the function that raises the error for arithmetic on a component or vector. `label`: its name; `example`: a
-- valid expression.
local function create_arithmetic_error(label, example)
  return function()
    report.raise("%s is not a single value: use %s", label, example)
  end
end

local function fail_read_only(component, name)
  report.raise("%s.%s cannot be written in %s", component.name, name, state.where)
end

-- Returns the fields of a vector's parts under the keys x y z w, r g b a and 1 … 4.
local function index_axes(parts)
  local out, axes, alias = {}, { "x", "y", "z", "w" }, { "r", "g", "b", "a" }
  for i, field in ipairs(parts) do
    out[axes[i]], out[alias[i]], out[i] = field, field, field
  end
  return out
end

-- Creates the accessor type of a vector such as e.sprite.tint, with the members x y z w, r g b a and 1 … 4.
local function create_vector_accessor(component, base, parts)
  local get, set, fields = {}, {}, index_axes(parts)
  for axis, field in pairs(fields) do
    get[axis], set[axis] = component.get[field.name], component.set[field.name]
  end
  local struct = ffi.typeof(ACCESSOR)
  ffi.metatype(struct, operator_errors({
    __index = function(self, axis)
      local read = get[axis]
      if not read then
        fail_unknown_field(component, base .. "." .. report.show(axis))
      end
      local v = read(self[SECRET], self[ROW_HINT])
      if v == nil then
        v = read_last_value(component, self[SECRET], fields[axis].name)
      end
      return v
    end,
    __newindex = function(self, axis, v)
      local write = set[axis]
      if not write then
        fail_unknown_field(component, base .. "." .. report.show(axis))
      end
      check_number(component, base, v)
      if state.read_only then
        fail_read_only(component, base)
      end
      if not write(self[SECRET], v, self[ROW_HINT]) then
        queue_number(component, self[SECRET], 0, fields[axis].column, v)
      end
    end,
    __tostring = function(self)
      return component.name .. "." .. base .. " of " .. M.format_title(self[SECRET])
    end,
    __metatable = false,
  }, create_arithmetic_error("e." .. component.name .. "." .. base, ("shoal.%s(e.%s.%s) or e.%s.%s.x"):format(
    value.get_vector_kind(parts), component.name, base, component.name, base))))
  vector_type.add_stored(struct, #parts)
  return struct
end

-- Raises the error for an unknown member of a component or behaviour.
local function fail_unknown_member(component, name)
  if component.functions then
    late_binding.fail_unknown_member(component, name)
  end
  return fail_unknown_field(component, name)
end

-- Returns a function that looks up a member of a behaviour: one of its functions (e.guard.land) or its entity
-- (e.guard.entity). The lookup returns nil for any other name.
local function create_member_lookup(component)
  local functions, find_row = component.functions, component.find_row
  if not functions then
    return function() end
  end
  return function(id, name)
    local func = functions[name]
    if not func and name ~= "entity" then
      return nil
    elseif find_row(id) < 0 and not (handle.is_alive(id) and C.world_is_component_pending(W, id, component.id)) then
      fail_missing(component, id)
    end
    return func or handle.handle(id)
  end
end

-- Returns the last value of a removed row's field or vector. `instance`: string id of the instance's name for a `many`
-- component.
local function find_last_value(component, id, name, instance)
  local parts, record, list = component.vectors[name], component.records[name], component.lists[name]
  if list then
    local values = {}
    for k = 1, last_values.get_field(component, id, list.count.name, instance) or 0 do
      values[k] = last_values.get_field(component, id, list.values[k].name, instance)
    end
    return values
  elseif record then
    local values = {}
    for _, member in ipairs(record.names) do
      values[member] = find_last_value(component, id, name .. "." .. member, instance)
    end
    return values
  elseif not parts then
    return last_values.get_field(component, id, name, instance)
  end
  local axes = {}
  for i, part in ipairs(parts) do
    axes[i] = last_values.get_field(component, id, part.name, instance)
  end
  return vector_type.api[value.get_vector_kind(parts)](unpack(axes))
end

local function refuse_last_value_write(component, id, name)
  report.raise("%s.%s cannot be written in %s: %s no longer has %s, and the last values are read-only",
    component.name, report.show(name), last_values.event ~= 0 and "this handler"
      or state.system and state.system.of and "destroy" or "leave", M.format_title(id), component.name)
end

-- Creates the type of the read-only accessors to last values: `self` in a behaviour's `destroy`, and e.health in a
-- system's `leave` if the entity already has a new row.
local function create_last_values_accessor(component)
  local struct = ffi.typeof(ACCESSOR)
  local functions = component.functions or {}
  ffi.metatype(struct, {
    __index = function(self, name)
      local id = self[SECRET]
      if component.by_name[name] or component.vectors[name] or component.records[name] or component.lists[name] then
        local v
        if last_values.has(component, id) then
          v = find_last_value(component, id, name)
        end
        if v == nil then
          fail_missing(component, id)
        end
        return v
      elseif name == "entity" and component.functions then
        return handle.handle(id)
      end
      return functions[name] or fail_unknown_member(component, name)
    end,
    __newindex = function(self, name)
      refuse_last_value_write(component, self[SECRET], name)
    end,
    __tostring = function(self)
      return component.name .. " of " .. M.format_title(self[SECRET])
    end,
    __metatable = false,
  })
  return struct
end

-- --- list fields

local FIND_HINTED_ROW = "local bit, m, map, is_at = ... " .. ROW .. "return row_from"

-- Finds the row of an entity whose spawn is queued or that has lost the component. Returns the functions for this row,
-- and the row. Raises an error if the entity has no such row.
local function find_rare_list_row(component, id, name)
  local variant = M.resolve_queued(component, id)
  local row = variant ~= component and C.manager_find_instance_row(variant.manager, id, 0) or abi.NO_ROW
  if row ~= abi.NO_ROW then
    return variant.list_rows[name], row
  elseif not last_values.has(component, id) then
    fail_missing(component, id)
  end
  return list_type.create_last_value_rows(component.list_rows[name], find_last_value(component, id, name), function()
    refuse_last_value_write(component, id, name)
  end), 0
end

-- Creates the accessor type of a list such as e.bag.items.
local function create_list_accessor(component, name)
  local struct = ffi.typeof(ACCESSOR)
  local rows = component.list_rows[name]
  local find_hinted_row = loadstring(FIND_HINTED_ROW, "@[shoal]/schema/component.lua")(require("bit"),
    cast_manager(component.manager, "int32_t"), component.map, handle.is_at)
  list_type.add_metatable(struct, function(self)
    local row = find_hinted_row(self[SECRET], self[ROW_HINT])
    if row >= 0 then
      return rows, row
    end
    local rare_rows, rare_row = find_rare_list_row(component, self[SECRET], name)
    return rare_rows, rare_row
  end, function(self)
    return M.format_title(self[SECRET])
  end)
  return struct
end

-- Writes a list of an entity: e.bag.items = { 1, 2 }.
local function write_list(component, id, name, v)
  local values = value.check_list(component, component.lists[name], v)
  local row = component.find_row(id)
  if row >= 0 then
    list_type.assign(component.list_rows[name], row, values)
  else
    queue_value(component, id, 0, name, values)
  end
end

-- Reads all parts of an assigned vector before any is written. Returns nil for a part that keeps its value.
local function read_parts(component, base, v)
  local size = #component.vectors[base]
  return value.vector_part(component, base, v, 1), value.vector_part(component, base, v, 2),
    size > 2 and value.vector_part(component, base, v, 3) or nil,
    size > 3 and value.vector_part(component, base, v, 4) or nil
end

local function write_vector(component, id, base, v)
  v = value.to_plain_vector(v)
  local parts, set = component.vectors[base], component.set
  local a, b, c, d = read_parts(component, base, v)
  if a and not set[parts[1].name](id, a) or b and not set[parts[2].name](id, b)
    or c and not set[parts[3].name](id, c) or d and not set[parts[4].name](id, d) then
    queue_value(component, id, 0, base, v)
  end
end

-- Returns the fields and vectors assigned to a record, c.colors = { r = 1 }, as a list of { path, value }.
-- Checks all of them, so that an error leaves the record unchanged. Callers write them in a loop instead of passing a
-- function, because LuaJIT does not compile code that creates closures.
local function collect_record_values(component, path, record)
  local values, list = value.check(component, value.record_values(component, path, record)), {}
  for _, item in ipairs(component.writable) do
    local name = item.base or item.field.name
    if values[name] ~= nil then
      list[#list + 1] = { name, values[name] }
    end
  end
  return list
end

-- Returns two sets of field names: the numeric fields, and the fields that scripts cannot write.
local function classify_fields(component)
  local numeric, read_only = {}, {}
  for _, field in ipairs(component.fields) do
    numeric[field.name] = NUMERIC[field.type] or false
    read_only[field.name] = (field.hidden or field.read_only) and true or nil
  end
  return spelling.alias(numeric), spelling.alias(read_only)
end

local function fail_read_only_field(component, field)
  report.raise("%s.%s " .. (field.derived and column.DERIVED_IS_READ_ONLY or "is read-only"), component.name,
    field.name, component.name)
end

-- Returns the function that handles writes to an accessor: e.health.hp = 5.
local function create_component_writer(component)
  local set, vectors = component.set, component.vectors
  local numeric, read_only = classify_fields(component)
  local function write_field(self, name, v)
    local write = set[name]
    if state.read_only then
      fail_read_only(component, report.show(name))
    elseif write and not read_only[name] then
      if numeric[name] then
        v = to_number(component, name, v)
      end
      if not write(self[SECRET], v, self[ROW_HINT]) then
        queue_value(component, self[SECRET], 0, name, v)
      end
    elseif vectors[name] then
      write_vector(component, self[SECRET], name, v)
    elseif component.lists[name] then
      write_list(component, self[SECRET], name, v)
    elseif read_only[name] then
      fail_read_only_field(component, component.by_name[name])
    elseif component.records[name] then
      for _, entry in ipairs(collect_record_values(component, name, v)) do
        write_field(self, entry[1], entry[2])
      end
    else
      fail_unknown_member(component, name)
    end
  end
  return write_field
end

-- Creates the accessor type of a record, such as e.appearance.colors: like create_component_accessor. `write`:
-- result of create_component_writer.
local function create_record_accessor(component, path, write)
  local get, nested, paths = {}, {}, {}
  for _, name in ipairs(component.records[path].names) do
    local full_path = path .. "." .. name
    local parts = component.vectors[full_path]
    paths[name], get[name] = full_path, not parts and component.get[full_path] or nil
    nested[name] = component.records[full_path] and create_record_accessor(component, full_path, write)
      or component.lists[full_path] and create_list_accessor(component, full_path)
      or parts and create_vector_accessor(component, full_path, parts) or nil
  end
  local struct = ffi.typeof(ACCESSOR)
  ffi.metatype(struct, operator_errors({
    __index = function(self, name)
      local read = get[name]
      if read then
        local v = read(self[SECRET], self[ROW_HINT])
        if v == nil then
          v = read_last_value(component, self[SECRET], paths[name])
        end
        return v
      end
      local create = nested[name]
      if create then
        local member = create(self[SECRET], self[ROW_HINT])
        return member
      end
      return fail_unknown_field(component, name, path)
    end,
    __newindex = function(self, name, v)
      local full_path = paths[name]
      if not full_path then
        fail_unknown_field(component, name, path)
      end
      write(self, full_path, v)
    end,
    __tostring = function(self)
      return component.name .. "." .. path .. " of " .. M.format_title(self[SECRET])
    end,
    __metatable = false,
  }, create_arithmetic_error("e." .. component.name .. "." .. path,
    ("e.%s.%s.%s"):format(component.name, path, component.records[path].names[1]))))
  return struct
end

local KEPT_AT_ONCE = 256

-- Returns a function that returns the accessor of the entity `id` at `row`: the same accessor for each call with this
-- entity. A loop calls this function instead of the constructor if the accessor is still in use in an inner loop,
-- because LuaJIT then cannot eliminate the allocation (systems/system.lua). Only the accessor's row hint is updated.
-- Accessors of many consecutive rows are created in one step, so that accessors already exist when LuaJIT records the
-- loop. `get_constructor` returns the accessor's constructor; it is called once. If the entity does not own the row,
-- each call creates an accessor.
local function create_accessor_cache(component, get_constructor)
  local kept, manager, create = {}, nil, nil
  local function create_kept(row)
    create = create or get_constructor()
    manager = manager or cast_manager(component.manager, "int32_t")
    for r = row, math.min(row + KEPT_AT_ONCE, manager.count) - 1 do
      local id = manager.owner[r]
      local index = band(id, ENTITY_INDEX)
      if not kept[index] or kept[index][SECRET] ~= id then
        kept[index] = create(id, r)
      end
    end
  end
  jit.off(create_kept)
  return function(id, row)
    local index = band(id, ENTITY_INDEX)
    local accessor = kept[index]
    if not accessor or accessor[SECRET] ~= id then -- not `accessor == nil`, which would call __eq
      create_kept(row)
      accessor = kept[index]
      if not accessor or accessor[SECRET] ~= id then
        accessor = create(id, row)
      end
    end
    if accessor[ROW_HINT] ~= row then
      accessor[ROW_HINT] = row
    end
    return accessor
  end
end

-- Returns an expression that reads the first field of a component, such as e.health.hp.
local function format_example(component)
  local first_item = component.writable[1]
  return "e." .. component.name .. (first_item and "." .. (first_item.base or first_item.field.name) or "")
end

-- Creates the type of the accessors such as e.health, for components with one row per entity.
local function create_component_accessor(component)
  local get, find_member = component.get, create_member_lookup(component)
  local write ---@type fun(self: any, name: any, v: any)
  local names = collect_keys(component.vectors, component.lists, component.records)
  local vectors = create_generated_table(function(base) -- vectors, lists and records by name
    return component.vectors[base] and create_vector_accessor(component, base, component.vectors[base])
      or component.lists[base] and create_list_accessor(component, base)
      or component.records[base] and create_record_accessor(component, base, write) or nil
  end, names)
  local kept_lists = create_generated_table(function(base)
    return component.lists[base] and create_accessor_cache(component, function() return vectors[base] end) or false
  end, names)
  write = create_component_writer(component)
  local struct = ffi.typeof(ACCESSOR)
  ffi.metatype(struct, operator_errors({
    __index = function(self, name)
      local read = get[name]
      if read then
        local v = read(self[SECRET], self[ROW_HINT])
        if v == nil then
          v = read_last_value(component, self[SECRET], name)
        end
        return v
      end
      local member = find_member(self[SECRET], name)
      if member then
        return member
      end
      local vector = vectors[name]
      if vector then
        local get_kept_list = self[ROW_HINT] >= 0 and handle.keeps_accessors() and kept_lists[name]
        local vector_value = (get_kept_list or vector)(self[SECRET], self[ROW_HINT])
        return vector_value
      end
      return fail_unknown_member(component, name)
    end,
    __newindex = write,
    __tostring = function(self)
      return component.name .. " of " .. M.format_title(self[SECRET]) .. format_fields(component, self[SECRET])
    end,
    __metatable = false,
  }, create_arithmetic_error("e." .. component.name, format_example(component))))
  return struct
end

-- Creates the accessor to a vector of a named instance or singleton. `find_row()` returns the row and, for an instance,
-- the result of M.resolve_queued.
local function create_row_vector(component, base, find_row)
  local axes = index_axes(component.vectors[base])
  local function field(axis)
    return (axes[axis] or fail_unknown_field(component, base .. "." .. report.show(axis))).name
  end
  local out = setmetatable({}, {
    __index = function(_, axis)
      local row, variant = find_row()
      return (variant or component).get_row[field(axis)](row)
    end,
    __newindex = function(_, axis, v)
      local name = field(axis)
      check_number(component, base, v)
      if state.read_only then
        fail_read_only(component, base)
      end
      local row, variant = find_row()
      local write = (variant or component).set_row[name]
      write(row, v)
    end,
    __metatable = false,
  })
  vector_type.add_stored(out, #component.vectors[base])
  return out
end

-- Creates the accessor type of a list field, for the component's named instances or for the singleton.
local function create_row_list_type(component, name)
  local struct = ffi.typeof("struct { double " .. SECRET .. "; double " .. SECRET .. "i; }")
  list_type.add_metatable(struct, function(self)
    if component.kind == "single" then
      return component.list_rows[name], 0
    end
    local owner = M.resolve_queued(component, self[SECRET])
    local row = C.manager_find_instance_row(owner.manager, self[SECRET], self[SECRET .. "i"])
    if row == abi.NO_ROW then
      M.fail_missing_instance(component, self[SECRET], text.get_text(self[SECRET .. "i"]))
    end
    return owner.list_rows[name], row
  end, function(self)
    return component.kind == "single" and component.name or M.format_title(self[SECRET])
  end)
  return struct
end

-- Creates the accessor for a list field of a named instance or singleton. `variant`: result of M.resolve_queued for an
-- instance; nil for a singleton.
local function create_row_list(component, name, row, variant)
  local create = component.row_list_types[name]
  if component.kind == "single" then
    return create(0, 0)
  end
  local manager = (variant or component).manager
  return create(manager.owner[row], manager.instance[row])
end

-- Reads a field or a list from the row of a named instance or singleton.
local function read_row(component, name, row, variant)
  if component.lists[name] then
    return create_row_list(component, name, row, variant)
  end
  return (variant or component).get_row[name](row)
end

-- Writes one field of a row, c.field = v, for named instances and singletons. The row is looked up only after the value
-- has been copied to a table without metatables, because a metamethod may change the world. `find_row`: see
-- create_row_vector; it is called with `self`.
local function write_row(component, find_row, self, name, v)
  local field = component.by_name[name]
  if state.read_only then
    fail_read_only(component, report.show(name))
  elseif component.vectors[name] then
    v = value.to_plain_vector(v)
    local new_parts = { read_parts(component, name, v) }
    for i, part in ipairs(component.vectors[name]) do
      if new_parts[i] then
        local row, variant = find_row(self)
        local write = (variant or component).set_row[part.name]
        write(row, new_parts[i])
      end
    end
  elseif component.lists[name] then
    local values = value.check_list(component, component.lists[name], v)
    local row, variant = find_row(self)
    list_type.assign((variant or component).list_rows[name], row, values)
  elseif component.records[name] then
    for _, new_parts in ipairs(collect_record_values(component, name, v)) do
      write_row(component, find_row, self, new_parts[1], new_parts[2])
    end
  elseif not field or field.hidden or field.read_only then
    fail_unknown_field(component, name)
  else
    if NUMERIC[field.type] then
      v = to_number(component, name, v)
    end
    v = field.type == "mat4" and value.to_plain_matrix(v) or value.to_plain_text(v, field)
    local row, variant = find_row(self)
    local write = (variant or component).set_row[name]
    write(row, v)
  end
end

-- Creates the accessor to a record of a named instance or singleton. `find_row`: see create_row_vector.
local function create_row_record(component, path, find_row)
  local nested, paths = {}, {}
  for _, name in ipairs(component.records[path].names) do
    local full_path = path .. "." .. name
    paths[name] = full_path
    nested[name] = component.records[full_path] and create_row_record(component, full_path, find_row)
      or component.vectors[full_path] and create_row_vector(component, full_path, find_row) or nil
  end
  return setmetatable({}, {
    __index = function(_, name)
      if nested[name] then
        return nested[name]
      elseif not paths[name] then
        fail_unknown_field(component, name, path)
      end
      local row, variant = find_row()
      return read_row(component, paths[name], row, variant)
    end,
    __newindex = function(_, name, v)
      if not paths[name] then
        fail_unknown_field(component, name, path)
      end
      write_row(component, find_row, nil, paths[name], v)
    end,
    __metatable = false,
  })
end

-- Returns the names of an entity's instances of a `many` component.
---@param component engine.Component
---@param id integer
---@return string[]
function M.list_instances(component, id)
  local names, manager = {}, M.resolve_queued(component, id).manager
  for i = 0, manager.count - 1 do
    if manager.owner[i] == id then
      names[#names + 1] = text.get_text(manager.instance[i])
    end
  end
  return names
end

-- Raises the error for an instance that the entity does not have.
---@param component engine.Component
---@param id integer
---@param instance string
function M.fail_missing_instance(component, id, instance)
  local names = M.list_instances(component, id)
  report.raise("%s has no %s named %q%s", M.format_title(id), component.name, instance, report.hint(instance, names))
end

-- Creates the accessor type of one instance, e.gun.left. Each access calls C, because instances are rarely used
-- in hot loops.
local function create_instance_struct(component)
  local struct = ffi.typeof("struct { double " .. SECRET .. "; double " .. SECRET .. "i; }")
  local function find_row(self)
    local variant = M.resolve_queued(component, self[SECRET])
    local row = C.manager_find_instance_row(variant.manager, self[SECRET], self[SECRET .. "i"])
    if row == abi.NO_ROW then
      local id = self[SECRET]
      if variant == component and handle.is_alive(id) and C.world_is_component_pending(W, id, component.id) then
        report.raise("%s has no %s until this system ends: pass values to world.spawn or e:add, or write them with "
          .. "e:set", M.format_title(id), component.name)
      end
      M.fail_missing_instance(component, id, text.get_text(self[SECRET .. "i"]))
    end
    return row, variant
  end
  ffi.metatype(struct, {
    __index = function(self, name)
      local is_vector, is_record = component.vectors[name] ~= nil, component.records[name] ~= nil
      if not is_vector and not is_record and not component.lists[name] and not component.get_row[name] then
        fail_unknown_field(component, name)
      end
      if last_values.are_readable() and last_values.has(component, self[SECRET], self[SECRET .. "i"]) then
        return find_last_value(component, self[SECRET], name, self[SECRET .. "i"])
      elseif is_vector then
        return create_row_vector(component, name, function() return find_row(self) end)
      elseif is_record then
        return create_row_record(component, name, function() return find_row(self) end)
      end
      local row, variant = find_row(self)
      return read_row(component, name, row, variant)
    end,
    __newindex = function(self, name, v)
      if last_values.are_readable() and last_values.has(component, self[SECRET], self[SECRET .. "i"]) then
        refuse_last_value_write(component, self[SECRET], name)
      end
      write_row(component, find_row, self, name, v)
    end,
    __tostring = function(self)
      return component.name .. "." .. text.get_text(self[SECRET .. "i"]) .. " of " .. M.format_title(self[SECRET])
    end,
    __metatable = false,
  })
  return struct
end

-- Returns true if e.gun.NAME is a field of the unnamed instance. An instance that has the name of a field takes
-- precedence.
local function is_unnamed(component, id, name, instance_id)
  local manager = M.resolve_queued(component, id).manager
  return (component.by_name[name] or component.vectors[name] or component.records[name] or component.lists[name])
    and (instance_id == 0 or C.manager_find_instance_row(manager, id, instance_id) == abi.NO_ROW)
    and (C.manager_find_instance_row(manager, id, 0) ~= abi.NO_ROW or last_values.has(component, id, 0))
end

-- Creates the type of accessors such as e.gun, whose members are the instances, by name, and the fields of the unnamed
-- instance.
local function create_instance_accessor(component)
  local struct = create_instance_struct(component)
  local outer = ffi.typeof(ACCESSOR)
  ffi.metatype(outer, {
    __index = function(self, name)
      if type(name) ~= "string" then
        report.raise("%s has named instances: name one of them, e.%s.left", component.name, component.name)
      end
      local instance_id = text.find(name)
      if is_unnamed(component, self[SECRET], name, instance_id) then
        return struct(self[SECRET], 0)[name]
      elseif instance_id == 0 and name ~= "" then
        M.fail_missing_instance(component, self[SECRET], name)
      end
      return struct(self[SECRET], instance_id)
    end,
    __newindex = function(self, name, v)
      if type(name) == "string" and is_unnamed(component, self[SECRET], name, text.find(name)) then
        struct(self[SECRET], 0)[name] = v
        return
      end
      local instances = M.list_instances(component, self[SECRET])
      if component.by_name[name] or component.vectors[name] or component.lists[name] then
        report.raise("%s has named instances, %s: e.%s.%s.%s = …", component.name, report.join_names(instances),
          component.name, instances[1] or "left", name)
      end
      report.raise("e.%s.%s is an instance: write one of its fields, or e:add(\"%s\", { … }, \"%s\")",
        component.name, report.show(name), component.name, report.show(name))
    end,
    __tostring = function(self)
      return component.name .. " of " .. M.format_title(self[SECRET])
    end,
    __metatable = false,
  })
  return outer
end

-- Creates world.lookup("health").hp, which is indexed by entity or id; an element is nil if the entity has no row.
local function create_field_lookup(component, field)
  local get, set = component.get[field.name], component.set[field.name]
  local get_id = handle.get_id
  return setmetatable({}, {
    __index = function(_, key)
      if type(key) == "number" then
        return get(key)
      elseif key == nil then
        return nil
      end
      local id = get_id(key)
      if not id then
        report.raise("world.lookup(\"%s\").%s: expected an entity or a raw id, got %s", component.name, field.name,
          report.describe(key))
      end
      return get(id)
    end,
    __newindex = function(_, key, v)
      local id = type(key) == "number" and key or key ~= nil and get_id(key)
      if state.read_only then
        fail_read_only(component, field.name)
      elseif field.read_only then
        fail_read_only_field(component, field)
      elseif NUMERIC[field.type] then
        v = to_number(component, field.name, v)
      end
      if not id or not set(id, v) then
        queue_value(component, id or 0, 0, field.name, v)
      end
    end,
    __metatable = false,
  })
end

-- Creates world.lookup("bag").items, which is indexed by entity or id; an element is nil if the entity has no row.
local function create_list_lookup(component, name)
  local create_accessor = create_list_accessor(component, name)
  return setmetatable({}, {
    __index = function(_, key)
      local id = type(key) == "number" and key or key ~= nil and handle.get_id(key)
      if not id or not M.has(component, id) then
        return nil
      end
      local accessor = create_accessor(id, -1)
      return accessor
    end,
    __newindex = function(_, key, v)
      if state.read_only then
        fail_read_only(component, name)
      end
      write_list(component, type(key) == "number" and key or key ~= nil and handle.get_id(key) or 0, name, v)
    end,
    __metatable = false,
  })
end

-- Creates the table that world.lookup("health") returns.
local function create_lookup(component)
  local fields = column.create_strict_tables(function(name)
    fail_unknown_field(component, name)
  end, function(name)
    report.raise("%s.%s: assign to an element, %s.%s[id] = …", component.name, report.show(name), component.name,
      report.show(name))
  end)
  column.add_proxies(fields, component.fields, component.name, function(field)
    return create_field_lookup(component, field)
  end, function(name)
    return create_list_lookup(component, name)
  end)
  return fields
end

-- Creates the accessor of world.single.score.
local function create_single(component)
  local get, vectors = component.get_row, {}
  local function get_first_row()
    return 0
  end
  for base in pairs(component.vectors) do
    vectors[base] = create_row_vector(component, base, get_first_row)
  end
  for path in pairs(component.records) do
    vectors[path] = create_row_record(component, path, get_first_row)
  end
  return setmetatable({}, {
    __index = function(_, name)
      local read = get[name]
      if read then
        return read(0)
      end
      if component.lists[name] then
        return create_row_list(component, name, 0)
      end
      return vectors[name] or fail_unknown_field(component, name)
    end,
    __newindex = function(_, name, v)
      write_row(component, get_first_row, nil, name, v)
    end,
    __metatable = false,
  })
end

local function create_table_of_kind(is_single, create)
  return create_generated_table(function(name)
    local component = M.by_name[name]
    if component and component.manager and (component.kind == "single") == is_single then
      return create(component)
    end
  end, {})
end

-- Tables by component name. A lookup returns nil for an unknown name, and for a component of a different kind:
-- singletons are only in M.single, and all other components only in the other tables.
M.accessor = create_table_of_kind(false, function(component) -- constructors of the accessors e.<name>
  return component.kind == "many" and create_instance_accessor(component) or create_component_accessor(component)
end)
M.last_values = create_table_of_kind(false, create_last_values_accessor) -- constructors of accessors to last values
M.lookup = create_table_of_kind(false, create_lookup)
M.single = create_table_of_kind(true, create_single)
M.ids = {} -- manager's id → component
-- The same tables, with full names also while code of an add-on runs (base/scope.lua).
M.generated = { accessor = M.accessor, lookup = M.lookup, single = M.single }
scope.register("component", M, "by_name")
scope.register("component", M, "metadata")
for _, field in ipairs { "accessor", "last_values", "lookup", "single" } do
  scope.register("component", M, field, M.by_name)
end

local FIND_ROW_FUNCTIONS = "local bit, m, map, is_at = ... " .. ROW .. [[
local function row_at(id, at)
  if at >= 0 then
    if map.aligned ~= 0 then
      return at
    end
    local row = at
    if map.rows ~= nil then
      row = map.rows[at]
    end
    if row >= 0 and row < m.count and m.owner[row] == id then
      return row
    end
  end
  local row = find_row(id)
  return row
end
return find_row, row_at
]]

-- Returns the component's name and the entity's id of an accessor such as e.health, or nil for any other value.
---@param v any
---@return string? name
---@return integer? id
function M.identify_accessor(v)
  for _, component in pairs(M.by_name) do
    local struct = rawget(M.generated.accessor, component.name)
    if struct and ffi.istype(struct, v) and component.kind == "component" then
      return component.name, v[SECRET]
    end
  end
end

-- Stores the component's id in the ranges of its fields, for schema/column.lua.
local function set_range_components(component)
  for _, field in ipairs(component.fields) do
    local range = field.range or field.list_range
    if range then
      range.component = component.id
    end
  end
end

-- A row_map_t whose rows are int32_t, for the reason given at cast_manager.
local row_map = ffi.typeof("struct { const int32_t *rows; int32_t aligned; } *")

-- --- members of a component that are created on first access, because a game with many components uses few of them

local function create_map(component)
  component.map_anchor = ffi.new("row_map_t[1]") -- prevents collection of the struct that `map` points to
  component.map = ffi.cast(row_map, component.map_anchor)
end

local function create_row_functions(component)
  component.find_row, component.row_at = loadstring(FIND_ROW_FUNCTIONS,
    "@[shoal]/schema/component.lua")(require("bit"),
    cast_manager(component.manager, "int32_t"), component.map, handle.is_at)
end

-- Creates the tables `get`, `set`, `get_row` and `set_row`. Accessors look up the name of a vector or a record as a
-- field first. The tables store false for such a name, because for a missing key the generating function would run on
-- every access.
local function create_access_tables(component)
  local access = { {}, {}, {}, {} }
  local names = collect_keys(component.by_name, component.vectors, component.lists, component.records,
    component.functions or {})
  names.entity = component.functions and true or names.entity
  local function create_access_table(k)
    return create_generated_table(function(name)
      local field = component.by_name[name]
      if field and not field.hidden and not access[1][name] then
        access[1][name], access[2][name], access[3][name], access[4][name] = generate_accessor(component, field)
      elseif not field and (names[name] or component.vectors[name] or component.lists[name]
        or component.records[name]) then
        return false
      end
      return access[k][name]
    end, names)
  end
  component.get, component.set, component.get_row, component.set_row = create_access_table(1), create_access_table(2),
    create_access_table(3), create_access_table(4)
end

local function create_list_tables(component)
  component.list_rows = create_generated_table(function(name)
    return component.lists[name] and generate_list_rows(component, component.lists[name])
  end, component.lists)
  component.row_list_types = create_generated_table(function(name)
    return component.lists[name] and create_row_list_type(component, name)
  end, component.lists)
end

local function create_kept_accessor_cache(component)
  component.get_kept_accessor = create_accessor_cache(component, function()
    return M.generated.accessor[component.name]
  end)
end

local CREATED_ON_ACCESS = {
  map = create_map, map_anchor = create_map, find_row = create_row_functions, row_at = create_row_functions,
  get = create_access_tables, set = create_access_tables, get_row = create_access_tables,
  set_row = create_access_tables, list_rows = create_list_tables, row_list_types = create_list_tables,
  get_kept_accessor = create_kept_accessor_cache,
}

local function create_member(component, key)
  local create = CREATED_ON_ACCESS[key]
  if create then
    create(component)
    return rawget(component, key)
  end
end
jit.off(create_member)
local MEMBERS = { __index = create_member }

-- Completes a component that the world has declared.
---@param component engine.Component
function M.bind(component)
  component.manager = component.manager or C.world_find_manager(W, component.name)
  component.id = component.manager.id
  set_range_components(component)
  component.add_code, component.remove_code = fast_commands.get_codes(component.id)
  if C.world_is_required(W, component.id) then
    component.remove_code = -1 -- e:remove must check each entity, because other components require this one
  end
  M.ids[component.id] = component
  reserve_keys(component, CREATED_ON_ACCESS)
  setmetatable(component, MEMBERS)
end

-- Reserves hash slots for the names of all components. Called when all components are bound.
function M.reserve_names()
  for _, by_name in ipairs { M.accessor, M.last_values, M.lookup, M.single } do
    reserve_keys(by_name, M.by_name)
  end
end

M.fail_missing = fail_missing
late_binding.entity_title = M.format_title

return M
