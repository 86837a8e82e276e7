-- Events: typed rows that live for two ticks. world.emit writes a row; a system's `on` handler receives the unread rows
-- as columns (ev.count, ev.a[i]). The read position is stored in the world, so a reload neither loses nor repeats rows.
local need = ...
local abi = need("base/abi")
local protected_call = need("base/protected_call")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local text = need("base/string_table")
local column = need("schema/column")
local literal = need("schema/literal")
local schema = need("schema/schema")
local value = need("schema/value")
local literal_writer = need("schema/literal_writer")
local ffi, C, W = abi.ffi, abi.C, abi.world
local MARK = literal.MARK

---@class engine.Event: engine.Target
---@field builtin? boolean true if C (the engine or a plugin) declares the event
---@field schema? engine.Schema set if Lua declares the event
---@field emitted_by_scripts? boolean true for Shoal's own events that scripts may emit
---@field can_be_replaced? boolean true for Shoal's own events whose names a game may use for its events
---@field on_demand? string[] names: the event exists in the world only if a system handles one of these events
---@field pointer? C.event_o
---@field id? integer nil if the event does not exist in the world
---@field put? fun(ticket: integer, n: integer) writes the n values of value.pack; generated on first use
---@field writers table<integer, function|false> functions that write literals, indexed by shape (schema/literal.lua)
---@field filler table the view that world.emit_many fills; nil before its first call

---@class engine.Reader one system's view of an event
---@field event engine.Event
---@field system string
---@field name integer the string id of the system's name
---@field view shoal.Events
---@field inner table contains the columns; scripts cannot access it
---@field laid boolean true once `inner` contains the columns

---@class engine.event
---@field by_name table<string, engine.Event>
---@field former table<string, string> former name → current name
---@field SENT table key, in a view, of the column that records which rows e:send emitted
local M = { by_name = {}, former = {}, SENT = {} }
scope.register("event", M, "by_name")

local function describe(name, fields)
  local event = { name = name, label = "event " .. name, fields = fields, writers = {} }
  event.by_name, event.vectors, event.writable, event.lists, event.records, event.members = value.index_fields(fields)
  event.prepare = value.create_flattener(event) or false
  return event
end

for id = 1, C.world_event_count(W) do
  local pointer = C.world_event(W, id)
  local desc = C.view_schema(nil, pointer)
  if ffi.string(desc.origin) == "C" then
    local name = ffi.string(desc.name)
    M.by_name[name] = describe(name, schema.list_fields(desc))
    M.by_name[name].builtin = true
  end
end

-- Adds the events declared by plugins; called after the plugins are opened.
function M.add_plugins()
  for id = 1, C.world_event_count(W) do
    local pointer = C.world_event(W, id)
    local desc = C.view_schema(nil, pointer)
    if ffi.string(desc.origin):find("^plugin ") then
      local name = ffi.string(desc.name)
      M.by_name[name] = describe(name, schema.list_fields(desc))
      M.by_name[name].builtin = true
    end
  end
end

-- Adds an event. `on_demand`: set for Shoal's own events, which the world contains only if a system handles one of the
-- events in `on_demand`; a plugin's event of the same name takes precedence.
---@param declaration engine.Schema result of schema.read
---@param on_demand? string[] event names
---@param is_reserved? boolean true if the game cannot declare an event of that name
---@return engine.Event? event nil if a plugin has the event
function M.add_declared(declaration, on_demand, is_reserved)
  if on_demand and M.by_name[declaration.name] then
    return nil
  end
  local event = describe(declaration.name, declaration.fields)
  event.can_be_replaced = on_demand ~= nil and not is_reserved and not declaration.name:find("^shoal%.")
  event.schema, event.on_demand = declaration, on_demand
  M.by_name[declaration.name] = event
  return event
end

-- Collects the former names of all events. Raises an error if an event still has such a name, or if two events claim
-- it.
function M.collect_former_names()
  for _, name in ipairs(sorted_keys(M.by_name)) do
    local declaration = M.by_name[name].schema
    for _, old_name in ipairs(declaration and declaration.was or {}) do
      local conflict = M.by_name[old_name] and old_name or M.former[old_name]
      if conflict then
        report.fail { file = declaration.at.file, line = report.find_line(declaration.at.text, name, "renamed_from"),
          piece = "event " .. name, message = string.format(conflict == old_name
            and "renamed_from of %s: the event %s is still declared: remove the event, or the rename"
            or "%s and %s are both renamed from %s: remove one of the renames", conflict == old_name and name
            or conflict,
            conflict == old_name and old_name or name, old_name) }
      end
      M.former[old_name] = name
    end
  end
end

-- Declares the former event names in the world.
function M.declare_former_names()
  for _, old_name in ipairs(sorted_keys(M.former)) do
    C.world_declare_renamed_event(W, old_name, M.former[old_name])
  end
end

-- Returns the hint for an unknown name: ": renamed to struck" for a former name, otherwise the nearest name.
---@param name any
---@return string
function M.hint(name)
  return M.former[name] and ": renamed to " .. M.former[name] or report.hint(name, M.by_name)
end

-- Stores the world's pointer and id in `event`. The id is nil if the event does not exist in the world, as with an
-- `on_demand` event that no system handles.
---@param event engine.Event
function M.bind(event)
  event.pointer = C.world_find_event(W, event.name)
  event.id = event.pointer ~= nil and event.pointer.id or nil
end

---@param name any
---@param caller string name of the calling function, which begins the message
---@return engine.Event
function M.find(name, caller)
  local event = M.by_name[name]
  if not event then
    report.raise("%s: unknown event %s%s; available: %s", caller, report.show(name),
      M.former[name] and M.hint(name) or report.suggest(name, M.by_name), report.join_names(M.by_name))
  end
  return event
end

-- Generates a function that writes the first n packed values into an event. The function has no loop, so that a loop
-- around it can be compiled.
local function create_packed_writer(event)
  local code = { "local C, W, columns, numbers = ...\nreturn function(ticket, n)\n" }
  for i = 0, #event.fields - 1 do
    code[#code + 1] = ("if n > %d then C.world_set_event_field(W, ticket, columns[%d], numbers[%d])\n"):format(i, i, i)
  end
  code[#code + 1] = ("end "):rep(#event.fields) .. "\nend\n"
  return assert(loadstring(table.concat(code), "@[shoal]/world/event.lua"))(C, W, value.columns, value.numbers)
end

-- Generates a function that writes values of this shape directly into the columns of queued events. Fields that the
-- shape lacks get their default values. If a value needs the general path, the generated function returns false and
-- emits nothing. Returns false instead of a function if the shape is unsupported.
local function create_writer(event, shape)
  local names = {}
  for i, name in ipairs(shape.names) do
    names[i] = { name = name, at = name }
  end
  local code_parts = not shape.parts and event.id and literal_writer.list_fields(event, names, 1)
  if not code_parts then
    return false
  end
  local code = { "return function(values)", table.concat(code_parts.locals, "\n") }
  if #code_parts.checks > 0 then
    code[#code + 1] = ("if not (%s) then return false end"):format(table.concat(code_parts.checks, " and "))
  end
  for i, v in ipairs(code_parts.values) do
    code[#code + 1] = ("local n%d = %s"):format(i, v)
  end
  code[#code + 1] = ("local row = C.event_stage_row(W, id, %s)\nlocal data = staged.data"):format(
    tostring(#code_parts.fields == #event.fields))
  for i, field in ipairs(code_parts.fields) do
    code[#code + 1] = ("cast('%s *', data[%d])[row] = n%d"):format(literal_writer.ELEMENT[field.type], field.column, i)
  end
  code[#code + 1] = "return true\nend"
  return literal_writer.compile("world/event.lua", table.concat(code, "\n"), code_parts.choices, { C = C, W = W,
    id = event.id, staged = C.event_get_staged_columns(W, event.id), cast = ffi.cast })
end

-- Returns the function that writes a table literal of this shape; false if the shape is unsupported.
local function get_writer(event, shape_number)
  local writer = event.writers[shape_number]
  if writer == nil then
    writer = create_writer(event, literal.shapes[shape_number])
    event.writers[shape_number] = writer
  end
  return writer
end

-- Emits an event. Throws, and emits nothing, if the event is unknown or a value is invalid.
---@param name string
---@param values? any
function M.emit(name, values)
  local event = M.by_name[name] or M.find(name, "world.emit")
  local shape = type(values) == "table" and rawget(values, MARK)
  if shape then
    local write = event.writers[shape]
    if write == nil then
      write = get_writer(event, shape)
    end
    if write and C.world_is_deferring(W) and write(values) then
      return
    end
    values = literal.restore(values)
  end
  local n = values and value.pack(event, values) or 0
  local ticket = C.world_emit_event(W, event.id)
  if n > 0 then
    event.put = event.put or create_packed_writer(event)
    event.put(ticket, n)
  end
end

-- Implements e:send("hit", { power = 3 }): emits the event with the entity in its field `entity`. The only behaviours
-- that receive the event are the entity's own.
---@param id integer
---@param name string
---@param values? any
function M.send(id, name, values)
  local event = M.by_name[name] or M.find(name, "e:send")
  local entity_field = event.by_name.entity
  if not entity_field or entity_field.type ~= "entity" then
    report.raise("e:send: the event %s has no entity field `entity`: declare it, %s = { entity = shoal.types.entity"
      .. ", … }", name, name)
  end
  values = literal.restore(values)
  local n = values and value.pack(event, values) or 0
  local ticket = C.world_emit_event(W, event.id)
  event.put = event.put or create_packed_writer(event)
  event.put(ticket, n)
  C.world_set_event_field(W, ticket, entity_field.column, id)
  local sent_field = event.by_name[schema.SENT]
  if sent_field then
    C.world_set_event_field(W, ticket, sent_field.column, 1)
  end
end

local public = {} -- results of M.is_public for known events, by name

-- Returns true if scripts may emit events of this name, even if no such event exists. They may emit neither internal
-- events, whose names begin with "shoal.", nor certain built-in events.
---@param name any
---@return boolean
function M.is_public(name)
  local is_public = public[name]
  if is_public == nil then
    local event_type = M.by_name[name]
    is_public = type(name) == "string" and not name:find("^shoal%.")
      and (not event_type or not event_type.on_demand or event_type.emitted_by_scripts == true)
    if event_type then
      public[name] = is_public
    end
  end
  return is_public
end

-- Creates the view for filling many rows of an event together. It is created once per event and reused. The event's
-- columns may move between calls to emit_many, so the proxies read the addresses on every access.
local function create_filler(event)
  local view, inner = column.create_strict_tables(function(name)
    value.fail_unknown_field(event, name)
  end, function(name)
    report.raise("ev.%s cannot be assigned: write to an element, ev.%s[i] = …", report.show(name),
      report.show(name))
  end)
  local filler = { view = view, inner = inner, columns = {}, open = false }
  column.add_proxies(inner, event.fields, "event " .. event.name, function(field)
    local column_view = ffi.new("column_view_t")
    filler.columns[#filler.columns + 1] = { at = column_view, column = field.column }
    return column.create_proxy(ffi.cast("column_view_t *", column_view), field, event.name .. "." .. field.name,
      "direct",
      false, column_view)
  end)
  return filler
end

local function set_columns(filler, columns, count)
  filler.inner.count = count
  for _, slot in ipairs(filler.columns) do
    slot.at.data, slot.at.count = count > 0 and columns.data[slot.column] or nil, count
  end
end

---@param name string
---@param count integer
---@param fill fun(ev: shoal.Columns)
function M.emit_many(name, count, fill)
  local event = M.by_name[name] or M.find(name, "world.emit_many")
  event.filler = event.filler or create_filler(event)
  local filler = event.filler
  if filler.open then
    report.raise("world.emit_many: a call for %s is already running: emit these rows after it has returned", name)
  end
  filler.open = true
  set_columns(filler, C.event_fill_begin(W, event.id, count), count)
  local ok, problem = protected_call.call(fill, filler.view)
  set_columns(filler, nil, 0)
  filler.open = false
  C.event_fill_end(W, event.id, ok)
  if not ok then
    error(problem, 0)
  end
end

-- Creates a reader. Each system has its own reader for each event, because each system has its own read position. The
-- columns check on every access whether the rows have a row map, because cancelling events between two calls to a
-- handler can create one.
---@param event engine.Event
---@param system_name string
---@return engine.Reader
function M.create_reader(event, system_name)
  local view, inner = column.create_strict_tables(function(name)
    value.fail_unknown_field(event, name)
  end, function(name)
    report.raise("ev.%s cannot be assigned: write to an element, ev.%s[i] = …", report.show(name),
      report.show(name))
  end)
  inner.count = 0
  return { event = event, system = system_name, name = text.intern_pinned(system_name),
    view = view, inner = inner, next = ffi.new("uint64_t[1]"), laid = false }
end

local function create_columns(reader)
  reader.laid = true
  column.add_proxies(reader.inner, reader.event.fields, "event " .. reader.event.name, function(field)
    local view = C.view_event_column(reader.event.pointer, field.column)
    local proxy = column.create_proxy(view, field, reader.event.name .. "." .. field.name, "either", state.read_only)
    if field.hidden and field.name == schema.SENT then
      reader.inner[M.SENT] = proxy
    end
    return proxy
  end)
end

-- Opens the view of the unread rows, and returns it with the number of these rows. M.close closes the view; M.mark_read
-- marks the rows as read.
---@param reader engine.Reader
---@return shoal.Events view
---@return integer count
function M.open(reader)
  local event = reader.event
  local count = C.view_event_open(W, reader.name, event.id)
  if not reader.laid then
    create_columns(reader)
  end
  reader.inner.count = count
  return reader.view, count
end

---@param reader engine.Reader
function M.close(reader)
  C.event_close(reader.event.pointer)
  reader.inner.count = 0
end

-- Marks all rows emitted so far as read by the reader's system.
---@param reader engine.Reader
function M.mark_read(reader)
  C.view_event_mark_read(W, reader.name, reader.event.id)
end

return M
