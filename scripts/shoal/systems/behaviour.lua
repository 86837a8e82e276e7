-- Behaviours: files whose functions run for single entities. A behaviour becomes a component (its `state`, so that
-- what it remembers lives in columns) and a system over script + that component; "shoal.behaviours" gives entities
-- the state component that their script.file asks for. So a behaviour fails, parks, reloads and is saved like any
-- system. In games that name scripts, `script` is `many`, and a behaviour's system goes over its own component alone
-- (design note 22).
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local log = need("base/log")
local packed = need("base/packed")
local report = need("base/report")
local sorted = need("base/sorted")
local state = need("base/state")
local meant = need("messages/meant")
local component = need("schema/component")
local schema = need("schema/schema")
local value = need("schema/value")
local system = need("systems/system")
local assemblage = need("world/assemblage")
local event = need("world/event")
local message = need("world/message")
local C, W, place = abi.C, abi.world, abi.place

---@class engine.behaviour
---@field files table<string, engine.Component> the component of its state, by "behaviours/guard.lua"
local M = { files = {} }
local list = {} -- the states of all behaviours, in order
local file_of = {} -- by the name of the state's component
local KEYS = { state = "table", create = "function", update = "function", destroy = "function", on = "table",
  any = "boolean", render = "function", after = "names", before = "names", priority = "number", enable = "function",
  disable = "function" }

-- --- several scripts on one entity

local is_many = false -- do scripts have names in this game?

-- What the files of a game say that gives an entity scripts with names.
local NAMED = { "%f[%w_]script%s*=%s*{%s*%[?[\"']?[%w_]+[\"']?%]?%s*=%s*{", "[\"']script[\"']%s*,%s*%b{}%s*,",
  '"script"%s*:%s*{%s*"[^"]*"%s*:%s*{' }

-- The schema of `script` in a game that names scripts; nil in one that does not: its `script` is as C declares it, and
-- its worlds, saves and hashes are those of one row an entity.
---@return engine.Schema?
function M.several()
  for _, file in ipairs(native.game_files()) do
    local is_code = (file:find("%.lua$") or file:find("%.json$")) and not file:find("^assets/")
    local text = is_code and native.source(file) or ""
    text = text:find("script", 1, true) and text:gsub("%-%-[^\n]*", "") or ""
    for _, pattern in ipairs(NAMED) do
      is_many = is_many or text:find(pattern) ~= nil
    end
  end
  local own = is_many and schema.own("script", "many", { { "file", "string" }, { "enabled", "bool", true } }) or nil
  if own then
    component.add_declared(own).builtin = true
  end
  return own
end

-- The row of the entity's first script that asks for this file; -1 for none.
local function row_asking(file, id)
  local script = component.by_name.script
  local row = script.row_of(id)
  while row >= 0 and script.get_row.file(row) ~= file do
    row = script.manager.next[row]
    row = row == abi.NO_ROW and -1 or row
  end
  return row
end

-- The query of a behaviour sees disabled entities too (engine/ecs/query.c): what `create` has made stays.
local function is_disabled(id)
  return C.world_is_disabled(W, id, component.by_name.script.id)
end

-- May the behaviour of this file run for the entity?
local function is_enabled(file, id)
  local script = component.by_name.script
  if is_disabled(id) then
    return false
  elseif not is_many then
    return script.get.enabled(id)
  end
  local row = row_asking(file, id)
  return row >= 0 and script.get_row.enabled(row)
end

-- --- what runs

local is_method = {}
for _, method in ipairs(schema.entity_methods) do
  is_method[method] = true
end

-- Everything that a behaviour's file has is called with `self` first.
local function check_self(f, fail, what, arguments)
  local first = debug.getlocal(f, 1)
  if first == "dt" or first == "ev" or first == "event" then
    fail(what, "%s is called with self first: %s = function(self%s) … end", what, what, arguments)
  end
end

local function component_name(file)
  return "behaviour:" .. file:gsub("^behaviours/", ""):gsub("%.lua$", "")
end

-- What `self` does not have: a field of the state, or something of the entity, is meant.
local function stranger(name)
  return { __index = function(_, key)
    local known, words = component.by_name[name], "self has entity and state"
    if known.by_name[key] or known.vectors[key] then
      words = string.format("did you mean self.state.%s?", key)
    elseif component.by_name[key] then
      words = string.format("did you mean self.entity.%s?", key)
    elseif is_method[key] then
      words = string.format("did you mean self.entity:%s(…)?", key)
    end
    report.complain("there is no self.%s: %s", report.plain(key), words)
  end }
end

local strangers = {}

-- `self` of one entity: made when first needed, in every VM anew; nothing of it has to survive.
local function self_of(selfs, name, id)
  local self = selfs[id]
  if not self then
    strangers[name] = strangers[name] or stranger(name)
    self = setmetatable({}, {
      __index = setmetatable({ entity = handle.handle(id), state = component.accessor[name](id, -1) }, strangers[name]),
      __newindex = function(_, key)
        report.complain("self.%s would be lost by a reload: declare it in the behaviour's state", report.plain(key))
      end,
      __metatable = false,
    })
    selfs[id] = self
  end
  return self
end

-- For loops that look at the column themselves: nil as long as nothing is disabled.
local function disabled()
  return component.by_name.disabled.manager.count > 0 and is_disabled or nil
end

-- The entity at hand is found by the loop's locals (engine/script/report.c).
local UPDATE_NAMED = [[
local self_of, place, is_enabled, file = ...
return function(query, _, _, update, selfs, name, dt)
  local ids = query.entities
  for i = 0, query.count - 1 do
    if is_enabled(file, ids[i]) then
      place.entity = ids[i]
      update(self_of(selfs, name, ids[i]), dt)
    end
  end
  place.entity = 0
end
]]
local UPDATE = [[
local self_of, place = ...
return function(query, enabled, disabled, update, selfs, name, dt)
  local ids = query.entities
  for i = 0, query.count - 1 do
    if enabled[i + 1] and not (disabled and disabled(ids[i])) then
      place.entity = ids[i]
      update(self_of(selfs, name, ids[i]), dt)
    end
  end
  place.entity = 0
end
]]

local function loop_of(file)
  return loadstring(is_many and UPDATE_NAMED or UPDATE, "@[shoal]/loop.lua")(self_of, place, is_enabled, file)
end

-- What a behaviour's system goes over.
local function query_of(name)
  return is_many and { name } or { "script", name }
end

-- May this handler of the behaviour run? Then it is the piece that runs; else it has failed before.
local function begin(known, part)
  local piece = known.piece_called[part]
  if known.off[piece] then
    C.vm_skip(abi.vm, known.number, piece)
    return false
  end
  place.piece = piece
  return true
end

local function messages_of(behaviour, selfs, name, ev, known)
  local outer = place.piece
  for i = 1, ev.count do
    local id = ev.to:raw(i)
    local handler = behaviour.on[ev.name[i]]
    if handler and component.by_name[name].row_of(id) >= 0 and is_enabled(file_of[name], id)
      and begin(known, "on " .. ev.name[i]) then
      state.entity = id
      handler(self_of(selfs, name, id), packed.decode(ev.body[i]))
    end
  end
  place.piece, state.entity = outer, 0
end

-- Can an event of this name concern an entity that has the behaviour?
local function is_heard(behaviour, wanted)
  local known = event.by_name[wanted]
  local names = behaviour.any or false
  for _, field in ipairs(known and known.fields or {}) do
    names = names or field.type == "entity"
  end
  return known ~= nil and names and (event.is_public(wanted) or known.of_widgets == true)
end

-- A row of an event as a table of its own: what one handler does with it, no other sees.
local function row_of(fields, view, i)
  local out = {}
  for _, item in ipairs(fields) do
    if item.field then
      out[item.field.name] = view[item.field.name][i]
    else
      local parts, columns = {}, view[item.base]
      for k = 1, #item.parts do
        local axis = ("xyzw"):sub(k, k)
        parts[axis] = columns[axis][i]
      end
      out[item.base] = parts
    end
  end
  return out
end

-- Whom row `i` of an event names, each once, in the order of the fields.
local function named_in(columns, i)
  local ids, seen = {}, {}
  for _, column in ipairs(columns) do
    local id = column:raw(i)
    if id ~= 0 and not seen[id] then
      seen[id] = true
      ids[#ids + 1] = id
    end
  end
  return ids
end

-- Events of the world: row after row, each to those whom it names that have the behaviour; with `any` to all that
-- have it, in the order of the query.
local function events_of(behaviour, selfs, name, wanted, view, query)
  local known, handler, columns = event.by_name[wanted], behaviour.on[wanted], {}
  local row_in, file = component.by_name[name].row_of, file_of[name]
  for _, field in ipairs(known.fields) do
    columns[#columns + 1] = field.type == "entity" and view[field.name] or nil
  end
  local all = {}
  for i = 0, behaviour.any and query.count - 1 or -1 do
    all[i + 1] = query.entities[i]
  end
  for i = 1, view.count do
    for _, id in ipairs(behaviour.any and all or named_in(columns, i)) do
      if row_in(id) >= 0 and is_enabled(file, id) then
        state.entity = id
        handler(self_of(selfs, name, id), row_of(known.writable, view, i))
      end
    end
  end
  state.entity = 0
end

-- `known()` is its system, once it is there.
local function system_of(behaviour, name, selfs, known)
  local declaration = { phase = "update", query = query_of(name), on = {}, after = behaviour.after,
    before = behaviour.before, priority = behaviour.priority }
  function declaration.enter(e)
    if behaviour.create then
      C.vm_set_budget(abi.vm, abi.BUDGET_START)
      behaviour.create(self_of(selfs, name, handle.id(e)))
      C.vm_set_budget(abi.vm, abi.BUDGET_SYSTEM)
    end
  end
  function declaration.leave(e)
    local id = handle.id(e) --[[@as integer]]
    if behaviour.destroy then
      behaviour.destroy(self_of(selfs, name, id))
    end
    selfs[id] = nil
    if handle.alive(id) then
      C.world_remove(W, id, component.by_name[name].id, 0)
    end
  end
  if behaviour.update then
    local loop = loop_of(file_of[name])
    function declaration.update(q, dt)
      loop(known().record.query, not is_many and q.script.enabled, disabled(), behaviour.update, selfs, name, dt)
    end
  end
  if behaviour.on then
    declaration.on[message.EVENT] = function(ev)
      messages_of(behaviour, selfs, name, ev, known())
    end
  end
  for wanted in pairs(behaviour.on or {}) do
    if is_heard(behaviour, wanted) then
      declaration.on[wanted] = function(ev)
        events_of(behaviour, selfs, name, wanted, ev, known().record.query)
      end
    end
  end
  return declaration
end

-- `render` is a system of its own, in another phase.
local function add_drawing(file, behaviour, name, selfs, at)
  local loop, added = loop_of(file), nil
  added = system.add(file .. ":render", { phase = "render", query = query_of(name), update = function(q, dt)
    loop(added.record.query, not is_many and q.script.enabled, disabled(), behaviour.render, selfs, name, dt)
  end, priority = behaviour.priority }, at, { body = "render", kind = "behaviour" }) --[[@as engine.System]]
  added.functions = { render = behaviour.render }
  added.title = "behaviour " .. file .. ", render"
end

-- `enable` and `disable` are the enter and leave of a query that passes disabled entities over. A dead entity has had
-- its `destroy`.
local function add_enabling(file, behaviour, name, selfs, at)
  local function caller(call)
    return call and function(e)
      local id = handle.id(e) --[[@as integer]]
      if handle.alive(id) and component.by_name[name].row_of(id) >= 0 then
        call(self_of(selfs, name, id))
      end
    end
  end
  local added = system.add(file .. ":enabled", { phase = "update", after = { file },
    query = { "script", any = { name } }, enter = caller(behaviour.enable), leave = caller(behaviour.disable) }, at,
    { kind = "behaviour", changes = "enable and disable" }) --[[@as engine.System]]
  added.functions = { ["enable and disable"] = behaviour.enable or behaviour.disable }
  added.title = "behaviour " .. file
end

-- What the file has returned, with the parts that a behaviour may have; `fail` says what is wrong.
local function checked(behaviour, fail)
  if type(behaviour) ~= "table" then
    fail(nil, "the file must return a table: return { state = { … }, update = function(self, dt) … end }")
  end
  behaviour = value.declared(behaviour, KEYS)
  for key, v in pairs(behaviour) do
    if not KEYS[key] then
      fail(key, "a behaviour has no part %s%s: there are %s", tostring(key),
        meant.aside("behaviour", key, KEYS), report.names(KEYS))
    elseif type(v) ~= KEYS[key] and KEYS[key] ~= "names" then -- those are read with its system
      fail(key, "%s is a %s, not a %s", key, KEYS[key], type(v))
    elseif type(v) == "function" then
      check_self(v, fail, key, (key == "update" or key == "render") and ", dt" or "")
    end
  end
  behaviour.on = behaviour.on and value.declared(behaviour.on, {})
  if behaviour.any and not next(behaviour.on or {}) then
    fail("any", "any = true hears every event that on names, and it names none: "
      .. "on = { collision = function(self, ev) … end }")
  end
  return behaviour
end

-- The functions for messages join those of the system, by the names that reports have for them.
local function add_handlers(added, handlers, fail)
  for message_name, handler in pairs(handlers) do
    if type(message_name) ~= "string" or type(handler) ~= "function" then
      fail("on", "on has a function for each message: on = { hit = function(self, ev) … end }")
    end
    check_self(handler, fail, message_name, ", ev")
    message.heard[message_name] = true
    added.functions["on " .. tostring(message_name)] = handler
  end
end

-- file: "behaviours/guard.lua"; at: { file, text }. Checks it and adds its component and system.
---@param file string
---@param behaviour any
---@param at engine.At
function M.add(file, behaviour, at)
  local function fail(key, text_format, ...)
    report.fail { message = string.format(text_format, ...), file = at.file,
      line = key and report.line_of(at.text, key) or 1, piece = "behaviour " .. file }
  end
  behaviour = checked(behaviour, fail)
  local name = component_name(file)
  local known = component.add_declared(schema.read(name, behaviour.state or {}, "behaviour", at))
  M.files[file] = known
  list[#list + 1] = known
  file_of[name] = file
  local added ---@type engine.System nil until its component is there
  local parts = { kind = "behaviour", changes = "create and destroy", body = "update" }
  for _, message_name in ipairs(sorted(behaviour.on or {})) do
    if not is_heard(behaviour, message_name) then
      parts[#parts + 1] = "on " .. tostring(message_name) -- an event's handler is a piece of every system
    end
  end
  local selfs = {}
  local declaration = system_of(behaviour, name, selfs, function() return added end)
  added = system.add(file, declaration, at, parts) --[[@as engine.System]]
  added.at_once = true -- create is its start
  added.reads_past = behaviour.destroy ~= nil
  added.functions = { ["create and destroy"] = behaviour.create or behaviour.destroy, update = behaviour.update }
  add_handlers(added, behaviour.on or {}, fail)
  added.title = "behaviour " .. file
  if behaviour.enable or behaviour.disable then
    add_enabling(file, behaviour, name, selfs, at)
  end
  if behaviour.render then
    add_drawing(file, behaviour, name, selfs, at)
  end
end

local warned = {}

-- Assemblages that ask for a file that is not there, with the line that does.
function M.check_assemblages()
  for _, name in ipairs(sorted(assemblage.resolved)) do
    local made = assemblage.resolved[name]
    for _, fields in pairs(made.template.script or {}) do
      local file = fields.file
      if type(file) == "string" and file ~= "" and not M.files[file] and not warned[file] then
        warned[file] = true
        native.log("warn", string.format("%s:%d: %s: its script asks for %s, and there is no such file%s", made.at.file,
          report.line_of(made.at.text, name, "script", "file"), name, file, report.hint(file, M.files)))
      end
    end
  end
end

local function warn_of(id, file)
  if file ~= "" and not warned[file] then
    warned[file] = true
    log.warn("%s: its script asks for %s, and there is no such file%s", component.title(id), file,
      report.hint(file, M.files))
  end
end

-- The same where scripts have names: what no script of the entity asks for goes, what one asks for comes.
local function attach_named()
  local script = component.by_name.script
  for _, known in ipairs(list) do
    for row = 0, known.manager.count - 1 do
      local id = known.manager.owner[row]
      if row_asking(file_of[known.name], id) < 0 then
        C.world_remove(W, id, known.id, 0)
      end
    end
  end
  for row = 0, script.manager.count - 1 do
    local id, file = script.manager.owner[row], script.get_row.file(row)
    local wanted = M.files[file]
    if not wanted then
      warn_of(id, file)
    elseif wanted.row_of(id) < 0 then
      if not is_disabled(id) then -- else it comes when that ends
        C.world_add(W, id, wanted.id, 0, abi.error)
      end
    elseif row_asking(file, id) ~= row and not warned[id .. file] then
      warned[id .. file] = true
      log.warn("%s has two scripts that are %s, and an entity has a behaviour once: "
        .. "the first of them counts",
        component.title(id), file)
    end
  end
end

-- Gives each scripted entity the state of its file. A file that does not exist is said once.
local function attach(q)
  if is_many then
    return attach_named()
  end
  local file, entity = q.script.file, q.entity
  for i = 1, q.count do
    local wanted = M.files[file[i]]
    local id = entity:raw(i)
    for k = 1, #list do -- the file may have been another one before
      if list[k] ~= wanted and list[k].row_of(id) >= 0 then
        C.world_remove(W, id, list[k].id, 0)
      end
    end
    if wanted then
      if wanted.row_of(id) < 0 then
        C.world_add(W, id, wanted.id, 0, abi.error)
      end
    else
      warn_of(id, file[i])
    end
  end
end

function M.add_system()
  system.add("shoal.behaviours", { phase = "pre_update", priority = -1000, query = { "script" }, update = attach },
    { file = "[shoal]/systems/behaviour.lua", text = "" })
end

return M
