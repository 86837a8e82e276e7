-- Systems. A system consists of pieces, which can fail and be parked separately: `start`, `reload`, `enter`, `leave`
-- and `changed` together, each handler of `on`, and the body. A run executes them in this order, except that `leave`
-- precedes `enter`. `start` and `reload` run only when they are due. The commands of the run are applied when it ends.
-- An error discards the commands and parks the failed piece, while the other pieces continue to run; the world records
-- when the piece is retried (content/parked_pieces.h). C runs systems by number, and reads from `current` which piece
-- is running.
local need, native = ...
local abi = need("base/abi")
local cache = need("base/cache")
local protected_call = need("base/protected_call")
local handle = need("base/handle")
local interpreted = need("base/interpreted")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local text = need("base/string_table")
local compile = need("compile/compile")
local loop_search = need("compile/loop_search")
local whole_body = need("compile/whole_body")
local draw = need("media/draw")
local advice = need("messages/advice")
local api_hints = need("messages/api_hints")
local column = need("schema/column")
local components = need("schema/component")
local last_values = need("schema/last_values")
local renames = need("schema/renames")
local value = need("schema/value")
local conditions = need("systems/conditions")
local demand_systems = need("systems/demand_systems")
local handler_costs = need("systems/handler_costs")
local entity = need("world/entity")
local entity_iterators = need("world/entity_iterators")
local event = need("world/event")
local timers_and_tweens = need("world/timers_and_tweens")
local observers = need("world/observers")
local plugins = need("world/plugins")
local query = need("world/query")
local relation = need("world/relation")
local states = need("world/states")
local watches = need("world/watches")
local world = need("world/world")
local ffi, C, W, current = abi.ffi, abi.C, abi.world, abi.current

---@class engine.Parts the names of a system's additional pieces, and the following fields
---@field [integer] string
---@field kind string kind of all pieces: "behaviour" or "scene"
---@field changes? string name of the piece for `enter`, `leave` and `changed`
---@field body? string name of the piece for the body
---@field of? engine.Component component of the behaviour to which the system belongs
---@field part_of? string name of the behaviour to which the system belongs

---@class engine.System
---@field name string
---@field at engine.At
---@field declaration shoal.System
---@field phase "input"|"pre_update"|"update"|"post_update"|"render"|"demand"
---@field priority integer systems with a lower priority run earlier
---@field every integer the body runs in ticks divisible by this number
---@field after string[]
---@field before string[]
---@field enabled boolean the declared value; the world may override it
---@field on boolean true if the system is enabled
---@field conditions? engine.Condition[] conditions of `when`
---@field when string the conditions as text; "" if the system has no conditions
---@field number integer index in M.list, by which C runs it
---@field terms? engine.Term[] terms of `query`; nil for a system without it
---@field queries table<string, engine.Term[]> terms of `queries`, by name
---@field pieces string[] names of the pieces, by number
---@field piece_called table<string, integer> numbers of the pieces, by name
---@field kinds string[] kinds of the pieces, by number
---@field off table<integer, boolean> pieces that have failed and are parked
---@field tried table<integer, boolean|"worked"> pieces that are being retried; "worked" after a retry that had work
---@field at_once? boolean true: the changes of `enter` and `leave` or, if there is neither, of the body apply
---immediately; `enter` and `leave` then run at most once per tick
---@field title? string title for messages (default: "system NAME")
---@field functions? table<string, function> functions by piece, unless they are in `declaration`
---@field files? table<string, string> files by piece, unless they are `at.file`
---@field id integer string id of the system's name
---@field record? engine.Query the query declared as `query`
---@field row_limit? engine.RowLimit number of rows from which the body is compiled
---@field views table the argument of `update` for `queries`
---@field records engine.Query[] all queries of the system
---@field readers table[] event readers of `on`: { handler, reader, piece, cost, is_handled }
---@field changes_cost? engine.HandlerCost cost of `enter`, `leave` and `changed`, if one of them is declared
---@field observer? integer id of the observer for `enter`, `leave` and `changed` (ecs/changes.h)
---@field spawned? integer number of entities that `enter`, `leave` and `changed` have spawned in this tick
---@field loops? function[] loops that call `leave`, `enter` and `changed` for each entity
---@field reads_last_values boolean true if `leave` can read last values (schema/last_values.lua)
---@field of? engine.Component component of a behaviour, whose functions receive its accessor
---@field life? engine.Query the query of `enter` and `leave`, if it is not `record`
---@field has_called? boolean true if `enable` or `disable` was called in this run; used with skips_replaced
---@field destroy? fun(e: shoal.Entity) calls `destroy` of a behaviour when the game ends
---@field skips_replaced? engine.Component an entity that lost and regained this component neither leaves nor enters
---@field part_of? string name of the behaviour to which the system belongs: both are enabled and disabled together
---@field body? fun(dt: number) runs the body; `dt` in seconds (get_body_dt)
---@field plain? table the values that a plain run needs (see plain_runs); nil if the system must run normally
---@field started? boolean the system has completed its first run in this VM
---@field searches? boolean true if the system's code may call a spatial query (systems/searches.lua)
---@field whole_loop? ffi.cdata* native_loop_o *: the system's entire body, compiled in single precision

---@class engine.systems
---@field list engine.System[]
---@field by_name table<string, engine.System>
---@field idle table<string, boolean> names of systems that are skipped because a plugin they need is missing
local M = { list = {}, by_name = {}, idle = {} }

-- Result of a behaviour's event handler if no entity received the event: a trial of the handler continues.
M.NO_RECEIVER = {}

local KEYS = {
  phase = "string", query = "table", queries = "table", update = "function", each = "function",
  after = "names", before = "names", priority = "number", enabled = "boolean", every = "number", on = "table",
  enter = "function", leave = "function", changed = "function", start = "function", stop = "function",
  reload = "function", doc = "string", when = "table", scene = "names", precision = "string", compile = "string",
}
local PHASES = { input = true, pre_update = true, update = true, post_update = true, render = true, demand = true }

-- Rejects `#` applied to a query or to the rows of an event, because its result would always be 0.
local function check_length(f, fail)
  local line, name = advice.find_length_of_first(f)
  if line then
    fail(line, "#%s is always 0: use %s.count for the number of rows", name, name)
  end
end

-- Rejects update(q, dt) without a query: the function would be called with dt as its only argument. The mistake each(q,
-- dt) is detected when the function runs (world/entity.lua).
local function check_arguments(system, fail)
  local update = system.update
  if not update or system.query or system.queries then
    return
  end
  local info = debug.getinfo(update, "uS")
  local first_parameter = debug.getlocal(update, 1)
  if info.nparams >= (system.phase == "demand" and 3 or 2) or first_parameter == "q" or first_parameter == "query" then
    fail("update", "update = function(%s…) requires a query, query = { \"transform\" }: without a query, update "
      .. "receives only dt, update = function(dt)", first_parameter and first_parameter .. ", " or "")
  end
end

local KERNEL_ERROR =
  "kernel was removed: use update = function(q, dt) for i = 1, q.count do … end end with precision = "
  .. "\"single\"; write if, and, or instead of shoal.math.select"

local function check_part(key, v, fail)
  if key == "kernel" then
    fail(key, "%s", KERNEL_ERROR)
  end
  local expected = KEYS[key]
  if not expected then
    fail(key, "a system has no field %s%s; available: %s", tostring(key), api_hints.suggest("system", key, KEYS),
      report.join_names(KEYS))
  elseif expected == "names" then
    if type(v) ~= "string" and type(v) ~= "table" then
      fail(key, "%s must be the name of a %s or a list of names, got %s", key, key == "scene" and key or "system",
        report.describe(v))
    end
  elseif type(v) ~= expected then
    local list = key == "query" and type(v) == "string" and ": use query = { \"" .. v .. "\" }" or ""
    fail(key, "%s must be a %s, got %s%s", key, expected, report.describe(v), list)
  end
end

local function check_bodies(name, system, fail)
  local bodies = {}
  for _, form in ipairs { "update", "each" } do
    bodies[#bodies + 1] = system[form] and form
  end
  if #bodies > 1 then
    fail(bodies[2], "%s has several bodies, %s: a system can have only one", name, table.concat(bodies, " and "))
  end
end

-- Checks `precision` and `compile`, the fields that control compilation.
local function check_compiled(name, system, fail)
  if system.precision and system.precision ~= "single" then
    fail("precision", "precision must be \"single\", got %s: remove precision to calculate in double precision",
      report.describe(system.precision))
  elseif system.compile and system.compile ~= "required" then
    fail("compile", "compile must be \"required\", got %s", report.describe(system.compile))
  end
  local key = system.precision and "precision" or system.compile and "compile"
  if not key then
    return
  elseif not (system.update or system.each) or not (system.query or system.queries) then
    fail(key, "%s has %s, which applies only to an update or each over a query: remove %s", name, key, key)
  elseif system.phase == "render" then
    fail(key, "%s has %s, but systems in phase \"render\" are not compiled: remove %s", name, key, key)
  end
end

local function check_order(system, fail)
  if system.every and (system.every < 1 or system.every % 1 ~= 0) then
    fail("every", "every must be an integer of at least 1 (ticks), got %s", report.describe(system.every))
  end
  if system.priority and (system.priority % 1 ~= 0 or math.abs(system.priority) > 2 ^ 31 - 1) then
    fail("priority", "priority must be an integer from -2147483647 to 2147483647, got %s",
      report.describe(system.priority))
  end
  for _, key in ipairs { "after", "before" } do
    for _, other_name in ipairs(type(system[key]) == "table" and system[key] or {}) do
      if type(other_name) ~= "string" then
        fail(key, "%s must be the name of a system or a list of names, got %s", key, report.describe(other_name))
      end
    end
  end
end

local function check_shape(name, system, fail)
  for key, v in pairs(system) do
    check_part(key, v, fail)
  end
  check_bodies(name, system, fail)
  if system.query and system.queries then
    fail("queries", "%s has both query and queries: move the query into queries", name)
  end
  if system.phase and not PHASES[system.phase] then
    fail("phase", "unknown phase %s%s; available: input, pre_update, update, post_update, render, demand",
      system.phase, api_hints.suggest("phase", system.phase, PHASES))
  end
  for _, key in ipairs(system.phase == "demand" and sorted_keys(demand_systems.REFUSED) or {}) do
    if system[key] ~= nil then
      fail(key, "%s runs on demand and cannot have %s: %s", name, key, demand_systems.REFUSED[key])
    end
  end
  if system.phase == "demand" and not (system.update or system.each) then
    fail("phase", "%s runs on demand and has nothing to run: add update = function(q, dt, arguments) … end", name)
  end
  if system.each and not system.query then
    fail("each", "each requires a query: add query = { \"transform\" }")
  end
  observers.check(name, system, fail)
  check_compiled(name, system, fail)
  check_arguments(system, fail)
  if (system.query or system.queries) and system.update then
    check_length(system.update, fail)
  end
  check_order(system, fail)
end

local function to_list(v)
  return type(v) == "table" and v or v and { v } or {}
end

-- Returns the first component or event that the declaration names but that is not declared; nil if all are declared.
local function find_unknown_name(declaration)
  local unknown
  local function check_name(name)
    if type(name) == "string" and not components.by_name[name] and not components.metadata[name] then
      unknown = unknown or name
    end
  end
  local function check_names(query_declaration)
    for key, names in pairs(type(query_declaration) == "table" and query_declaration or {}) do
      local is_pair = type(key) == "string" and not query.ROLES[key]
      for _, name in ipairs(is_pair and { key } or type(key) == "string" and to_list(names) or { names }) do
        check_name(name)
      end
    end
  end
  check_names(declaration.query)
  for _, query_declaration in pairs(declaration.queries or {}) do
    check_names(query_declaration)
  end
  for name in pairs(declaration.when or {}) do
    check_name(name)
  end
  for name in pairs(declaration.on or {}) do
    if not event.by_name[name] then
      unknown = unknown or name
    end
  end
  return unknown
end

-- Pieces of every system. A piece for each event handler, named after its event, follows them. `enter`, `leave` and
-- `changed` are one piece: if one of them fails, the lists of all three are delivered again.
local START, RELOAD, CHANGES, BODY = 1, 2, 3, 4
local PIECES = { "start", "reload", "enter, leave and changed", "body" }

-- Returns the names of the pieces, their numbers by name, and their kinds (base/parked.h). `parts`, for behaviours and
-- scenes, lists additional pieces; parts.kind is the kind of all pieces, and parts.changes and parts.body
-- override the names of the pieces CHANGES and BODY.
local function list_pieces(declaration, parts)
  local names, by_name, kinds = {}, {}, {}
  local function add(piece, kind)
    names[#names + 1] = piece
    by_name[piece] = #names
    kinds[#names] = parts and parts.kind or kind
  end
  for i, piece in ipairs(PIECES) do
    add(parts and (i == CHANGES and parts.changes or i == BODY and parts.body)
      or piece, "system")
  end
  for _, name in ipairs(sorted_keys(declaration.on or {})) do
    add("on " .. name, "handler")
  end
  for _, part in ipairs(parts or {}) do
    add(part)
  end
  return names, by_name, kinds
end

local function create_system(name, declaration, source, parts)
  local system = { name = name, at = source, declaration = declaration, phase = declaration.phase or "update",
    priority = declaration.priority or 0, every = declaration.every or 1, after = to_list(declaration.after),
    before = to_list(declaration.before), enabled = declaration.enabled ~= false, queries = {}, off = {},
    tried = {}, when = "", reads_last_values = declaration.leave ~= nil, of = parts and parts.of,
    part_of = parts and parts.part_of }
  system.pieces, system.piece_called, system.kinds = list_pieces(declaration, parts)
  return system
end

-- Returns the terms of the query declared as `key`: "query", or a name in `queries`.
local function read_query(name, key, declaration, source, fail)
  local function check_term(term)
    if components.metadata[term] and not components.by_name[term] then
      fail(term, "%s is metadata, which is not loaded and cannot be queried: use --metadata", term)
    elseif renames.by_name[term] then
      renames.record_component_use(term, source.file, report.find_line(source.text, key, term))
    elseif not components.by_name[term] then
      fail(term, "unknown component %s%s", tostring(term), components.hint(term))
    elseif components.by_name[term].kind == "single" then
      fail(term, "%s is a singleton: use world.single.%s", term, term)
    end
  end
  local ok, terms = pcall(query.read, declaration, "system " .. name, check_term, relation.read_declared)
  if not ok then
    local problem = terms --[[@as any]]
    if type(problem) == "table" and problem.file then
      error(problem, 0)
    end
    fail(key, "%s", type(problem) == "table" and problem.message or tostring(problem))
  end
  return terms
end

local function check_handlers(declaration, fail)
  for name, handler in pairs(declaration.on or {}) do
    if type(name) ~= "string" then
      fail("on", "on must map events to functions: use on = { %s = function(ev) … end }",
        type(handler) == "string" and handler or "collision")
    elseif not event.by_name[name] then
      fail(name, "unknown event %s%s; available: %s", tostring(name),
        event.former[name] and event.hint(name) or api_hints.suggest("event", name, event.by_name),
        report.join_names(event.by_name))
    elseif type(handler) ~= "function" then
      fail(name, "on.%s must be a function, got %s", name, report.describe(handler))
    end
    check_length(handler, fail)
  end
end

local PAIR_HINT = "name the relation alone for all pairs, and check their targets"
-- Fields that a system cannot have if its query selects the pairs of one entity, each with the reason.
local NOT_OF_PAIRS = { enter = PAIR_HINT, leave = PAIR_HINT, changed = PAIR_HINT }

-- Reads the queries and conditions of the declaration, and checks its event handlers. Raises an error if they are
-- invalid.
local function read_declaration(system, fail)
  local name, declaration = system.name, system.declaration
  if declaration.query then
    system.terms = read_query(name, "query", declaration.query, system.at, fail)
  end
  if system.of then
    system.life_terms = read_query(name, "query", { system.of.name, without_disabled = false }, system.at,
      fail)
  end
  for key, reason in pairs(system.terms and system.terms.pairs and NOT_OF_PAIRS or {}) do
    if declaration[key] then
      fail(key, "%s cannot have %s, because its query selects the pairs of one entity: %s", name, key, reason)
    end
  end
  for key, query_declaration in pairs(declaration.queries or {}) do
    system.queries[key] = read_query(name, key, query_declaration, system.at, fail)
  end
  check_handlers(declaration, fail)
  if declaration.when then
    system.conditions, system.when = conditions.read(declaration.when, system.at, function(path, ...)
      fail(report.find_line(system.at.text, "when", unpack(path)), ...)
    end)
  end
  if declaration.scene then
    local condition = conditions.read_scenes(declaration.scene, function(...) fail("scene", ...) end)
    system.conditions = system.conditions or {}
    table.insert(system.conditions, 1, condition)
    system.when = condition.text .. (system.when ~= "" and ", " .. system.when or "")
  end
end

-- Adds the system of a declaration after all checks that do not need the world. `source`: { file, text }.
---@param name string
---@param declaration any
---@param source engine.At
---@param parts? engine.Parts additional pieces of a system that is not a system file, such as a behaviour
---@return engine.System? system nil if it is skipped because of a missing plugin
function M.add(name, declaration, source, parts)
  local function fail(key, message, ...)
    local line = type(key) == "number" and key or key and report.find_line(source.text, key) or 1
    report.fail { message = string.format(message, ...), file = source.file, line = line,
      piece = (parts and parts.kind or "system") .. " " .. name }
  end
  if type(declaration) ~= "table" then
    fail(nil, "the file must return a table: return { query = { … }, update = function(q, dt) … end }")
  end
  declaration = value.copy_declared(declaration, KEYS)
  check_shape(name, declaration, fail)
  declaration.on = declaration.on and value.copy_declared(declaration.on, {})
  local unknown_name = find_unknown_name(declaration)
  if unknown_name and plugins.must_skip("system " .. name, unknown_name) then
    M.idle[name] = true
    return
  end
  local system = create_system(name, declaration, source, parts)
  read_declaration(system, fail)
  if M.by_name[name] then
    fail(nil, "two systems are named %s: rename this one or the one in %s", name, M.by_name[name].at.file)
  end
  system.number = #M.list + 1
  M.list[system.number], M.by_name[name] = system, system
  return system
end

-- Raises an error if `after` or `before` contains a name that no system has. Systems of plugins, and systems that are
-- skipped because of a missing plugin, are accepted. The engine's own systems ("shoal.transform") are declared by C and
-- are not checked here.
local function check_order_names(system)
  for _, key in ipairs { "after", "before" } do
    for _, other_name in ipairs(system[key]) do
      if not M.by_name[other_name] and not M.idle[other_name] and not plugins.systems[other_name]
        and not other_name:find("^shoal%.")
        and not plugins.must_skip_system(other_name) then
        report.fail { message = string.format("%s: unknown system %s%s; available: %s", key, other_name,
          report.suggest(other_name, M.by_name), report.join_names(M.by_name)), file = system.at.file,
          line = report.find_line(system.at.text, key), piece = "system " .. system.name }
      end
    end
  end
end

-- Returns true if a system has a handler for one of these events.
---@param names string[]
---@return boolean
function M.handles_event(names)
  for _, system in ipairs(M.list) do
    for _, name in ipairs(names) do
      if (system.declaration.on or {})[name] then
        return true
      end
    end
  end
  return false
end

-- Registers all systems in the schedule.
---@param schedule C.schedule_o
---@param vm C.vm_o
function M.schedule(schedule, vm)
  for _, system in ipairs(M.list) do
    check_order_names(system)
    local key = #system.after > 0 and "after" or #system.before > 0 and "before"
    -- Searches only if necessary: most systems have neither key, and searching a long text takes time.
    local line = key and report.find_line(system.at.text, key) or 1
    if not C.declare_system(schedule, vm, system.name, system.phase, system.priority, table.concat(system.after, "\n"),
        table.concat(system.before, "\n"), 1, system.number, system.at.file, line, system.declaration.doc, system.when,
        not system.enabled, abi.error) then
      report.fail { message = abi.get_error_text(), file = system.at.file, line = 1, piece = "system " .. system.name }
    end
  end
end

-- --- running

-- Source of the loop that calls `each` for every row. Each system gets its own copy of the function, so that LuaJIT
-- compiles it separately. Error reports find the current entity in the function's locals (script/report.c); compiled
-- code has no locals, so crash reports use `current`.
local EACH = [[
local at, current = ...
return function(id_list, first, last, each, dt)
  for i = first, last do
    local id = id_list[0][i]
    current.entity = id
    each(at(id, i), dt)
  end
end
]]

-- Source code of a function that returns a row's accessor, which behaviour functions receive as `self`.
local SELF_AT = [[
local at, make = ...
return function(id, i)
  at(id, i)
  local self = make(id, i)
  return self
end
]]

-- Like EACH, for rows from an iterator, which is called with the previous row and returns the next row.
local EACH_LISTED = [[
local at, current = ...
return function(id_list, ask, count, each, dt)
  local row = ask(count, 0)
  while row do
    local id = id_list[0][row - 1]
    current.entity = id
    each(at(id, row - 1), dt)
    current.entity = 0
    row = ask(count, row)
  end
end
]]

-- Variants for phase "demand": the function receives the arguments of world.run after `dt`.
local EACH_ARGUMENTS = EACH:gsub("dt%)", "dt, arguments)")
local EACH_LISTED_ARGUMENTS = EACH_LISTED:gsub("dt%)", "dt, arguments)")

-- Returns the values that a plain run needs (see plain_runs), as a list, so that they are next to each other in memory.
-- `f`: the body; `loop`: the loop that calls `f`, false for an `update`.
local function create_plain_run(system, f, loop, keeps_accessors)
  local record = system.record
  return { record, record.inner, f, loop, record.view, system.id, system.phase, system.at.addon or false,
    keeps_accessors, system, 0, 0 } -- 0, 0: values of the row limit, see try_plain_run
end

-- Prepares a loop over the rows of a query. Returns the state that end_rows restores.
local function begin_rows(record, keeps_accessors)
  local previous_query, previous_keeps = query.set_iterated(record), handle.keep_accessors(keeps_accessors)
  return previous_query, previous_keeps
end

local function end_rows(previous_query, previous_keeps)
  current.entity = 0
  query.set_iterated(previous_query)
  handle.keep_accessors(previous_keeps)
  handle.clear_current()
end

local function create_each_body(system, has_arguments)
  local set_current, has_loop = handle.set_current, loop_search.has_loop(system.declaration.each)
  if system.of then
    set_current = loadstring(SELF_AT, "@[shoal]/systems/system.lua")(set_current, components.accessor[system.of.name])
  end
  local loop = loadstring(has_arguments and EACH_ARGUMENTS or EACH, "@[shoal]/loop.lua")(set_current, current)
  local each, record, inner, listed_loop = system.declaration.each, system.record, system.record.inner, nil
  system.plain = create_plain_run(system, each, loop, has_loop)
  return compile.wrap_body(system, interpreted.caller(function(dt, arguments)
    local previous_query, previous_keeps = begin_rows(record, has_loop)
    loop(record.ids, 0, inner.count - 1, each, dt, arguments)
    end_rows(previous_query, previous_keeps)
  end), interpreted.caller(function(dt, next_row, arguments)
    listed_loop = listed_loop or loadstring(has_arguments and EACH_LISTED_ARGUMENTS or EACH_LISTED,
      "@[shoal]/loop.lua")(set_current, current)
    local previous_query, previous_keeps = begin_rows(record, has_loop)
    listed_loop(record.ids, next_row, inner.count, each, dt, arguments)
    end_rows(previous_query, previous_keeps)
  end))
end

local function create_body(system)
  local declaration = system.declaration
  local has_arguments = system.phase == "demand"
  if declaration.precision then
    return whole_body.wrap_body(system)
  elseif declaration.compile then
    whole_body.check(system)
  end
  if declaration.each then
    return create_each_body(system, has_arguments)
  end
  local update = declaration.update
  if not update then
    return nil
  end
  if system.record then
    local view = system.record.view
    system.plain = create_plain_run(system, update, false, false)
    return compile.wrap_body(system, interpreted.caller(function(dt, arguments)
      update(view, dt, arguments)
    end))
  elseif next(system.queries) then
    local views = system.views
    return compile.wrap_body_of_several(system, interpreted.caller(function(dt, arguments)
      update(views, dt, arguments)
    end))
  elseif has_arguments then
    return update
  end
  local cost = handler_costs.create(system, "update", { update })
  return interpreted.caller(function(dt)
    local start_ns = handler_costs.begin(cost)
    update(dt)
    if start_ns then
      handler_costs.finish(cost, start_ns, 0)
    end
  end)
end

-- Returns true if the system can be detached, so that C runs its native code without calling Lua: it consists of a body
-- over one query that runs every tick; it calls no spatial query, and has no `start`, `reload`, observers, event
-- handlers or conditions; it is not `at_once`; and its phase is neither "render" nor "demand".
local function has_only_body(system)
  local declaration = system.declaration
  return not system.searches and not system.observer and #system.readers == 0 and not declaration.start
    and not declaration.reload and not system.at_once and #system.records == 1 and system.every == 1
    and not system.conditions and system.phase ~= "render" and system.phase ~= "demand"
end

-- Fields of a declaration that keep a system from running in parallel with other systems.
local PARTS_ALONE = { "start", "reload", "enter", "leave", "changed", "on", "when", "scene", "every", "queries" }

-- Returns the reason why a system always runs alone, and the field of its declaration that causes it.
local function find_reason_to_run_alone(system)
  if system.phase == "render" or system.phase == "demand" then
    return "belongs to phase " .. system.phase, "phase"
  elseif system.searches then
    return "may call a spatial query", system.declaration.each and "each" or "update"
  end
  for _, part in ipairs(PARTS_ALONE) do
    if system.declaration[part] then
      return "declares " .. part, part
    end
  end
  return "has no query", system.declaration.each and "each" or "update"
end

-- Declares to the schedule, before the first run, that the system may run in parallel with other systems, or the reason
-- why it cannot.
local function declare_parallel(system)
  if system.can_be_detached and system.whole_loop then
    C.vm_declare_loop(abi.vm, system.number, system.name, system.whole_loop)
  elseif not system.can_be_detached then
    local reason, field = find_reason_to_run_alone(system)
    local line = system.at.text and report.find_line(system.at.text, field) or system.at.line or 1
    C.vm_set_alone_reason(abi.vm, system.name, ("%s:%d: %s"):format(system.at.file, line, reason))
  end
end

-- Creates the observer and the event readers of a system, if it declares functions that need them.
local function create_readers(system)
  if observers.is_declared(system.declaration) then
    observers.open(system)
    system.changes_cost = handler_costs.create(system, observers.list_declared(system.declaration))
  end
  system.readers = {}
  for i, name in ipairs(sorted_keys(system.declaration.on or {})) do
    system.readers[i] = { handler = system.declaration.on[name],
      reader = event.create_reader(event.by_name[name], system.name), piece = system.piece_called["on " .. name],
      cost = handler_costs.create(system, "on." .. name, { system.declaration.on[name] }) }
  end
end

-- Connects all systems to the world: creates their queries, observers and event readers, and their bodies.
function M.bind_all()
  compile.begin()
  for _, system in ipairs(M.list) do
    system.id = text.intern_pinned(system.name)
    scope.set(system.at.addon or false)
    if system.terms then
      system.record = query.intern(system.terms)
      system.life = system.life_terms and query.intern(system.life_terms)
    end
    local views_by_name
    system.records = {}
    system.views, views_by_name = column.create_strict_tables(function(name)
      report.raise("%s has no query %s%s; available: %s", system.name, tostring(name),
        report.suggest(name, system.queries), report.join_names(system.queries))
    end, function(name)
      report.raise("q.%s cannot be assigned: write to an element of a column", tostring(name))
    end)
    for i, key in ipairs(sorted_keys(system.queries)) do
      system.records[i] = query.intern(system.queries[key])
      views_by_name[key] = system.records[i].view
    end
    if system.record then
      system.records[#system.records + 1] = system.record
    end
    for _, record in ipairs(system.records) do
      C.vm_declare_query(abi.vm, system.name, record.base or record.query)
    end
    create_readers(system)
    system.body = create_body(system)
    system.can_be_detached = has_only_body(system)
    declare_parallel(system)
  end
  scope.set(false)
  interpreted.apply(#M.list)
  M.load_switches()
  text.add_change_listener(M.update_after_restore)
end

-- Returns the entity at a row of the first query of the system whose number of rows equals `limit`, the limit of the
-- loop that raised the error; for error reports. Returns 0 if there is no such query or row.
---@param number integer
---@param row number 1-based
---@param limit number
---@return integer id
function M.get_entity_of_row(number, row, limit)
  for _, record in ipairs(M.list[number].records) do
    if record.query.count == limit and row >= 1 and row <= limit and row % 1 == 0 then
      return record.query.entities[row - 1]
    end
  end
  return 0
end

local NOT_SWITCHED, SWITCHED_ON = 0, 2 -- equal to SWITCH_NONE and SWITCH_ON in ecs/system_rows.h

-- Systems whose next run is plain: number → values of create_plain_run. A plain run has only a body, for few rows, and
-- does the same as a normal run. With hundreds of systems, a run mostly waits for memory, because each table and each
-- upvalue of the system is in another cache line; a plain run reads one list. The table is emptied whenever something
-- changes that a normal run would have to check.
local plain_runs = {}

-- Loads from the world which systems are enabled. Stops all native loops; Lua starts them again.
function M.load_switches()
  plain_runs = {}
  C.vm_clear_native_loops(abi.vm)
  for _, system in ipairs(M.list) do
    local switch = C.system_get_switch(W, text.find(system.part_of or system.name))
    system.on = switch == SWITCHED_ON or switch == NOT_SWITCHED and system.enabled
  end
end

-- Updates all systems after the world may have been restored: string ids and observer numbers may have changed, and a
-- system marked as started may not have started in the restored state. If only unused strings were removed from the
-- string table, nothing changes.
function M.update_after_restore()
  for _, system in ipairs(M.list) do
    system.id = text.intern_pinned(system.name)
    for _, item in ipairs(system.readers) do
      item.reader.name = text.intern_pinned(item.reader.system)
    end
  end
  for _, system in ipairs(M.list) do
    if system.observer then
      observers.open(system)
    end
    system.started = system.started and C.system_has_started(W, system.id)
  end
  M.load_switches()
end

-- Finds a system by name, for world.run and world.system. If the system exists but is not a candidate, returns nil and
-- the system. Raises an error if the name is unknown.
local function find_system(name, caller, is_candidate)
  name = scope.name("system", name)
  local system, names = M.by_name[name], {}
  for _, candidate in ipairs(M.list) do
    if is_candidate(candidate) and (not candidate.title or candidate.of) and not candidate.name:find("^shoal%.") then
      names[candidate.name] = true
    end
  end
  if not names[name] and system and (not system.title or system.of) and not name:find("^shoal%.") then
    return nil, system
  elseif not names[name] then
    report.raise("%s: unknown system %s%s; available: %s", caller, report.show(name), report.suggest(name, names),
      report.join_names(names))
  end
  return system
end

-- Marks all events emitted so far as read, so that a system does not receive events that were emitted while it was
-- disabled or its conditions did not hold.
local function skip_events(system)
  for _, item in ipairs(system.readers) do
    event.mark_read(item.reader)
  end
end

-- Enables or disables a system from its next run on; nil changes nothing. The world stores this state. Returns true if
-- the system is enabled.
function world.functions.system(name, is_enabled)
  entity.changing("world.system")
  local system, other = find_system(name, "world.system", function(s) return s.phase ~= "demand" end)
  if not system then
    report.raise("world.system: %s runs on demand and cannot be enabled or disabled: call world.run", other.name)
  elseif is_enabled ~= nil and type(is_enabled) ~= "boolean" then
    report.raise("world.system: on must be true or false, got %s", report.describe(is_enabled))
  elseif is_enabled ~= nil and is_enabled ~= system.on then
    if is_enabled and system.phase ~= "render" then
      skip_events(system)
    end
    C.system_set_switch(W, system.id, is_enabled)
    M.load_switches()
  end
  return system.on
end

-- Runs a system in phase "demand" immediately.
function world.functions.run(name, arguments)
  entity.changing("world.run")
  local system, other = find_system(name, "world.run", function(s) return s.phase == "demand" end)
  if not system then
    report.raise("world.run: %s belongs to phase %s and is run by the engine: set phase = \"demand\" to run it on "
      .. "request", other.name, other.phase)
  elseif arguments ~= nil and type(arguments) ~= "table" then
    report.raise("world.run: the arguments of %s must be a table, got %s", name, report.describe(arguments))
  end
  demand_systems.run(system, arguments)
end

-- The piece of this run whose commands so far cause the most work, that work, and the number of commands counted so
-- far. If the watchdog stops the run while its commands are applied, this piece is parked.
local blamed_piece, blamed_work, counted_commands = 0, 0, 0

local function attribute_commands(piece)
  local count = C.world_command_count(W)
  if count > counted_commands then
    if blamed_piece == 0 then -- work is estimated only once a second piece has queued commands
      C.world_estimate_command_work(W, count)
      blamed_piece = piece
    else
      local work = C.world_estimate_command_work(W, counted_commands)
      blamed_work = blamed_work > 0 and blamed_work or C.world_estimate_command_work(W, 0) - work
      if work > blamed_work then
        blamed_piece, blamed_work = piece, work
      end
    end
    counted_commands = count
  end
end

-- --- running
--
-- In games with many systems, the functions that call code of a system are interpreted (base/interpreted.lua). The code
-- between these calls is in functions that LuaJIT compiles once for all systems, so these must not call such code.

-- Makes a piece the running piece. Returns false if the piece is parked.
local function begin_piece(system, piece)
  if system.off[piece] then
    C.vm_skip_piece(abi.vm, system.number, piece)
    return false
  end
  current.piece = piece
  return true
end

-- Records that a piece has had work and has not failed yet, if the piece is being retried.
---@param system engine.System
---@param piece integer
function M.record_work(system, piece)
  system.tried[piece] = system.tried[piece] and "worked"
end
local record_work = M.record_work

-- Returns true if a query of the system has rows, or if the system has no query.
local function has_rows(system)
  for _, record in ipairs(system.records) do
    if record.query.count > 0 then
      return true
    end
  end
  return #system.records == 0
end

-- Ends the trial of the pieces that have had work in this run, which has succeeded.
local function complete_trials(system)
  for piece, trial_state in pairs(system.tried) do
    if trial_state == "worked" then
      system.tried[piece] = nil
      C.vm_record_piece_success(abi.vm, M.piece_name(system.number, piece))
    end
  end
end

-- Runs the handlers of events that have unread rows. Returns true if there were any.
local run_handlers = interpreted.caller(function(system, dt)
  local is_called = false
  for _, item in ipairs(system.readers) do
    if begin_piece(system, item.piece) then
      local view, count = event.open(item.reader)
      if count > 0 then
        is_called = true
        local outer_event = last_values.event -- the event of the handler that called world.run
        last_values.event = item.reader.event.id
        local start_ns = handler_costs.begin(item.cost)
        local result = item.handler(view, dt)
        if start_ns then
          handler_costs.finish(item.cost, start_ns, count)
        end
        last_values.event = outer_event
        attribute_commands(item.piece)
        if result ~= M.NO_RECEIVER then
          record_work(system, item.piece)
        end
      end
      event.close(item.reader)
      item.is_handled = true
    end
  end
  return is_called
end)

-- Runs `start`. Its changes apply immediately, so that it can use the entities it has spawned. If `start` fails, its
-- changes are undone.
local function run_start(system)
  if system.started or not system.declaration.start or C.system_has_started(W, system.id) then
    return
  end
  current.piece = START
  C.vm_begin_start_hook(abi.vm, system.number)
  C.vm_restart_budget(abi.vm, abi.BUDGET_START)
  system.declaration.start()
  query.close_opened_by_scripts()
  C.vm_restart_budget(abi.vm, abi.BUDGET_SYSTEM)
  C.vm_end_start_hook(abi.vm)
  watches.apply_queued()
  system.started = true
  C.system_set_started(W, system.id)
  C.vm_mark_started(abi.vm, system.number)
end

-- Runs the pieces whose changes apply immediately: `start` and, in an `at_once` system, `enter` and `leave` or, if it
-- declares neither, the body. Called before any command is queued.
local function run_at_once(system, dt)
  C.world_set_actor(W, system.id)
  run_start(system)
  if system.at_once and system.observer and begin_piece(system, CHANGES) then
    system.spawned = 0
    local was_called = observers.run(system)
    C.observer_end_delivery(W, system.observer)
    current.watcher = 0
    if was_called then
      record_work(system, CHANGES)
    end
  elseif system.at_once and not system.observer and begin_piece(system, BODY) then
    system.body(dt)
    record_work(system, BODY)
  end
  C.world_set_actor(W, 0)
  query.close_opened_by_scripts()
  watches.apply_queued()
  current.piece = 0
end

local f32_buffer = ffi.new("float[1]")

local function end_body(system)
  attribute_commands(current.piece)
  if system.tried[BODY] and has_rows(system) then
    record_work(system, BODY)
  end
end

-- Returns the `dt` of a body: the length of `every` ticks, rounded like the length of a tick. In phase `render` it is
-- the length of the frame, and 0 while the game is paused.
local function get_body_dt(system, dt)
  if system.every == 1 or system.phase == "render" or dt == 0 then
    return dt
  end
  f32_buffer[0] = system.every / C.world_tick_rate(W)
  return f32_buffer[0]
end

local run = interpreted.caller(function(system, dt)
  local declaration, is_idle = system.declaration, system.every > 1 and system.started and not system.at_once
  local must_reload = not system.started and state.reloaded and C.system_has_started(W, system.id)
    and not C.vm_is_started(abi.vm, system.number)
  if declaration.reload and (must_reload or system.tried[RELOAD]) and begin_piece(system, RELOAD) then
    declaration.reload()
    record_work(system, RELOAD)
    is_idle = false
  end
  if system.observer and not system.at_once and begin_piece(system, CHANGES) then
    system.spawned = 0
    local start_ns = handler_costs.begin(system.changes_cost)
    local was_called = observers.run(system)
    if start_ns then
      handler_costs.finish(system.changes_cost, start_ns, 0)
    end
    attribute_commands(CHANGES)
    if was_called then
      record_work(system, CHANGES)
      is_idle = false
    end
  end
  if #system.readers > 0 and run_handlers(system, dt) then
    is_idle = false
  end
  local is_due = system.every == 1 or C.view_tick(W) % system.every == 0
  if system.body and (not system.at_once or system.observer) and is_due and begin_piece(system, BODY) then
    system.body(system.every == 1 and dt or get_body_dt(system, dt))
    end_body(system)
  end
  if is_idle and not is_due then
    current.idle = 1 -- --stats does not count this run
  end
end)

-- Marks notifications and events as delivered. Called only when the run completes: an error discards the commands of
-- the run, so its notifications and events must be delivered again.
local function mark_delivered(system)
  current.piece, current.watcher = 0, 0
  if system.observer and not system.at_once and not system.off[CHANGES] then
    C.observer_end_delivery(W, system.observer)
  end
  for _, item in ipairs(system.readers) do
    if item.is_handled then
      item.is_handled = false
      event.mark_read(item.reader)
    end
  end
end

-- Applies the system's commands. The piece whose commands cause the most work remains the running piece until the next
-- run: if applying the commands exceeds the time limit, compiled code raises the error only when its trace ends.
local function apply_commands()
  state.system = nil
  scope.set(false)
  phases.enter("update")
  current.piece = blamed_piece
  states.forget()
  timers_and_tweens.drop_queued_owner()
  C.world_defer_end(W, false)
  watches.apply_queued()
end

-- Ends a run: applies its commands, and detaches a system whose next runs consist of native code only.
local function end_run(system)
  apply_commands()
  -- Set by the body if C can make the next runs of its native code without Lua (compile/compile.lua).
  local loop = system.detaching
  system.detached = loop
  if loop and system.can_be_detached and not system.off[BODY] and not system.tried[BODY] then
    C.vm_set_native_loop(abi.vm, system.number, system.name, loop.loop, loop.dt, loop.runs, loop.needs_lua)
  end
end

local function set_current(system)
  state.system = system
  scope.set(system.at.addon or false)
  phases.enter(system.phase)
end

-- Begins to queue the system's commands. Its spatial queries return results for this moment.
local function begin_commands(system)
  C.world_defer_begin(W, system.id)
  if system.searches then
    C.body_grid_capture(W)
  end
  blamed_piece, blamed_work, counted_commands = 0, 0, 0
end

-- Repeats `leave`, `enter` and `changed` while the system's own changes refill their lists.
local function run_pending_observers(system)
  local rounds = 0
  while C.observer_has_pending(W, system.observer) and begin_piece(system, CHANGES) do
    rounds = rounds + 1
    set_current(system)
    if rounds >= observers.MAX_ROUNDS then
      observers.fail_endless(system)
    end
    begin_commands(system)
    query.open(system.record)
    observers.run(system)
    attribute_commands(CHANGES)
    mark_delivered(system)
    query.close(system.record)
    query.close_opened_by_scripts()
    end_run(system)
  end
  current.piece = 0
end

-- Marks a system as started. Called after its first successful run in this VM, unless run_start has already marked it.
-- After a failed run the system remains unmarked, so a due `reload` runs again.
local function mark_started(system)
  C.vm_restart_budget(abi.vm, abi.BUDGET_START) -- budget of `start`, for applying the commands of this run
  system.started = true
  C.system_set_started(W, system.id)
  C.vm_mark_started(abi.vm, system.number)
end

-- Begins a run. Returns false if the system runs no piece: it is disabled, its conditions do not hold, or its `start`
-- is parked.
local function begin_run(system)
  text.refresh()
  if not system.on or system.conditions and not conditions.are_met(system.conditions) then
    if system.conditions or system.phase == "render" then
      skip_events(system)
    end
    return false
  elseif system.off[START] then -- if `start` has failed, the system's other pieces do not run either
    C.vm_skip_piece(abi.vm, system.number, START)
    return false
  end
  cache.refresh()
  set_current(system)
  if system.phase == "render" then
    draw.reset()
  end
  return true
end

local function begin_pieces(system)
  begin_commands(system)
  local records = system.records
  if records[1] then
    query.open(records[1])
  end
  for i = 2, #records do
    query.open(records[i])
  end
end

local function end_pieces(system)
  mark_delivered(system)
  if not system.started then
    mark_started(system)
  end
  local records = system.records
  if records[1] then
    query.close(records[1])
  end
  for i = 2, #records do
    query.close(records[i])
  end
  query.close_opened_by_scripts()
  end_run(system)
end

-- Makes the next run of a system plain, if nothing but its body has to run.
local function try_plain_run(system)
  if system.plain and system.on and has_only_body(system) and not system.detaching and not next(system.off)
    and not next(system.tried) and compile.runs_in_lua(system.record.query.count, system.row_limit.min_rows) then
    local plain, limit = system.plain, system.row_limit
    plain[6], plain[11], plain[12] = system.id, limit.min_rows, limit.runs_left
    plain_runs[system.number] = plain
  end
end

-- Begins a plain run. Returns false if the run must be normal.
local function begin_plain_run(plain, number)
  text.refresh() -- may call M.load_switches, which empties `plain_runs`
  if plain_runs[number] ~= plain then
    return false
  end
  cache.refresh()
  local record = plain[1]
  state.system = plain[10]
  scope.set(plain[8])
  phases.enter(plain[7])
  C.world_defer_begin(W, plain[6])
  blamed_piece, blamed_work, counted_commands = 0, 0, 0
  query.open(record)
  current.piece = BODY
  if plain[4] then
    begin_rows(record, plain[9])
  end
  return true
end

local function end_plain_run(plain)
  if plain[4] then
    end_rows(nil, false)
  end
  attribute_commands(BODY)
  current.piece, current.watcher = 0, 0
  query.close(plain[1])
  query.close_opened_by_scripts()
  apply_commands()
end

-- Runs a system in a tick or, in the render phase, in a frame.
---@param number integer
---@param dt number seconds
M.run = interpreted.caller(function(number, dt)
  if entity_iterators.used_count > 0 then
    entity_iterators.release()
  end
  local plain = plain_runs[number]
  if plain and begin_plain_run(plain, number) then
    local inner, f, loop = plain[2], plain[3], plain[4]
    local runs_left = plain[12] - 1
    plain[12] = runs_left
    if runs_left <= 1 or not compile.runs_in_lua(inner.count, plain[11]) then
      plain_runs[number] = nil -- the next run is normal: it may measure or compile the body
      plain[10].row_limit.runs_left = runs_left
    end
    if loop then
      loop(plain[1].ids, 0, inner.count - 1, f, dt)
    else
      f(plain[5], dt)
    end
    end_plain_run(plain)
    return
  end
  local system = M.list[number]
  if not begin_run(system) then
    return
  end
  if system.at_once or not system.started and system.declaration.start then
    run_at_once(system, dt)
  end
  begin_pieces(system)
  run(system, dt)
  end_pieces(system)
  if system.observer and not system.at_once then
    run_pending_observers(system)
  end
  if next(system.tried) then
    record_work(system, START)
    complete_trials(system)
  end
  try_plain_run(system)
end)

-- Runs the deferred side exits of a system's loop in Lua, as the body of the system. Called after the loop itself has
-- run in parallel with other systems (compile/compile.lua).
---@param number integer
---@param dt number seconds
function M.run_exits(number, dt)
  local system = M.list[number]
  set_current(system)
  begin_commands(system)
  query.open(system.record)
  if begin_piece(system, BODY) then
    compile.run_exits(system, dt)
    attribute_commands(BODY)
  end
  query.close(system.record)
  query.close_opened_by_scripts()
  apply_commands()
end

-- Resets the systems after an error: closes queries and event readers, drops commands, and keeps undelivered
-- notifications.
function M.reset_after_error()
  plain_runs = {}
  scope.set(false)
  C.vm_clear_native_loops(abi.vm)
  query.set_iterated(nil)
  handle.keep_accessors(false)
  handle.clear_current()
  query.close_all()
  for _, system in ipairs(M.list) do
    for _, item in ipairs(system.readers or {}) do
      event.close(item.reader)
      item.is_handled = false
    end
    for piece in pairs(system.tried) do
      system.tried[piece] = true
    end
  end
  demand_systems.clear()
  states.forget()
  timers_and_tweens.drop_queued_owner()
  watches.drop_queued(0)
  phases.stop()
  last_values.reset()
  C.world_set_actor(W, 0)
  while C.world_is_deferring(W) do
    C.world_defer_end(W, true)
  end
  -- The commands of `enter`, `leave` and `changed` were dropped as well: the system receives the same lists again when
  -- the piece is retried.
  if current.watcher ~= 0 then
    C.world_watch_return_entries(W, current.watcher)
    current.watcher = 0
  end
end

-- Parks a piece after an error, and resets the systems (M.reset_after_error). Returns the description and the kind of
-- the piece.
---@param number integer
---@param piece integer
---@return string text
---@return string kind
function M.park(number, piece)
  M.reset_after_error()
  local system = M.list[number]
  system.off[piece], system.tried[piece] = true, nil
  local title, part = system.title or ("system " .. system.name), system.pieces[piece]
  local piece_title = title .. ", " .. part
  if system.files and piece > BODY then
    piece_title = part
  elseif piece == BODY or piece == START and not system.declaration.start then
    piece_title = title
  end
  return piece_title, system.kinds[piece]
end

-- --- the world's list of parked pieces (content/parked_pieces.h)

-- Begins to apply the list: enables all pieces. M.set_parked follows for each piece in the list, then M.end_parked.
function M.begin_parked()
  plain_runs = {}
  for _, system in ipairs(M.list) do
    system.was_off, system.off = system.off, {}
    system.tried = {}
  end
end

-- Parks a piece if `is_off` is true, otherwise marks it as being retried. `skips_events`: true for the first retry
-- since the piece failed: its event handlers skip the events emitted meanwhile.
---@param name string
---@param is_off boolean
---@param skips_events boolean
function M.set_parked(name, is_off, skips_events)
  local number, piece = M.find_piece(name)
  local system = M.list[number]
  if not system or not piece then
    return
  elseif is_off then
    system.off[piece] = true
    return
  end
  system.tried[piece] = true
  for _, item in ipairs(skips_events and system.readers or {}) do
    if item.piece == piece or piece == START then
      event.mark_read(item.reader)
    end
  end
end

-- Called after M.set_parked has been called for each piece in the list. Drops the native loops if the body or `start`
-- of a system was enabled before and is now parked.
function M.end_parked()
  for _, system in ipairs(M.list) do
    if system.off[BODY] and not system.was_off[BODY] or system.off[START] and not system.was_off[START] then
      C.vm_clear_native_loops(abi.vm) -- a native loop would run the parked body
    end
    system.was_off = nil
  end
end

-- Returns the name of a piece in recordings, "movement/body"; M.find_piece is the reverse lookup.
---@param number integer
---@param piece integer
---@return string
function M.piece_name(number, piece)
  local system = M.list[number]
  return system.name .. "/" .. system.pieces[piece]
end

-- Returns the file and line where the function of a piece starts; line 0 if unknown. A system whose pieces come from
-- several files has `functions` and `files` by piece name.
---@param number integer
---@param piece integer
---@return string file
---@return integer line
function M.piece_location(number, piece)
  local system = M.list[number]
  local declaration, name = system.declaration, system.pieces[piece]
  local f = system.functions and system.functions[name]
  if not f then
    f = piece == START and declaration.start or piece == RELOAD and declaration.reload
      or piece == CHANGES and observers.get_error_function(declaration)
      or piece == BODY and (declaration.update or declaration.each)
      or (declaration.on or {})[name:match("^on (.*)$")]
  end
  local info = type(f) == "function" and debug.getinfo(f, "S")
  local file = system.files and system.files[name] or system.at.file
  return file, info and info.source == "@" .. file and info.linedefined or 0
end

-- Returns the file of a system, and the line of its body or, if the body is missing or in another file, of its
-- declaration.
---@param system engine.System
---@return string file
---@return integer line
function M.location(system)
  local declaration = system.declaration
  local body = declaration.update or declaration.each
  local info = type(body) == "function" and debug.getinfo(body, "S")
  local is_in_file = info and info.source == "@" .. system.at.file
  return system.at.file, is_in_file and info.linedefined or system.at.line
end

-- Returns the system and the piece with this name (see M.piece_name); nil if no system has the piece.
---@param name string
---@return integer? number
---@return integer? piece
---@return boolean? is_drawing true if the system belongs to the render phase
function M.find_piece(name)
  for number, system in ipairs(M.list) do
    local piece = name:sub(1, #system.name + 1) == system.name .. "/"
      and system.piece_called[name:sub(#system.name + 2)]
    if piece then
      return number, piece, system.phase == "render"
    end
  end
end

-- Returns the reason why the body of a system did not run in the VM's first tick, which has just ended; nil if the body
-- ran or failed.
local function find_reason_not_run(system)
  if not system.started and not system.on then
    return system.enabled and "switched off by world.system" or "enabled = false"
  elseif not system.started and system.conditions and not conditions.are_met(system.conditions) then
    return "when " .. system.when
  elseif system.body and system.every > 1 and (C.view_tick(W) - 1) % system.every ~= 0 then
    return "every = " .. system.every
  end
end

-- Returns the systems that did not run in the VM's first tick because they are disabled, their conditions do not hold,
-- or they do not run every tick: one line "file<TAB>name (reason)" per system. Called when this tick has ended.
---@return string
function M.list_not_run()
  local lines = {}
  for _, system in ipairs(M.list) do
    local reason = system.phase ~= "demand" and not system.at.file:find("^%[shoal%]") and find_reason_not_run(system)
    if reason then
      lines[#lines + 1] = string.format("%s\t%s (%s)\n", system.at.file, system.name, reason)
    end
  end
  return table.concat(lines)
end

-- Marks systems that started in the failed attempt at a tick as not started. Called before the tick runs again.
function M.begin_retry()
  for number, system in ipairs(M.list) do
    system.started = system.started and C.vm_is_started(abi.vm, number)
  end
  M.load_switches()
end

local function needs_stop(system, kept_names)
  return system.declaration.stop and not kept_names[system.name] and not system.off[START] and system.started
end

-- Returns true if M.stop_removed would call `stop` of some system.
---@param kept_names table<string, boolean>
---@return boolean
function M.has_removed(kept_names)
  for _, system in ipairs(M.list) do
    if needs_stop(system, kept_names) then
      return true
    end
  end
  return false
end

-- Calls `stop` of all started systems whose names are not in the set `kept_names`. Errors are logged.
---@param kept_names table<string, boolean>
function M.stop_removed(kept_names)
  for _, system in ipairs(M.list) do
    if needs_stop(system, kept_names) then
      local ok, problem = protected_call.call(system.declaration.stop)
      if not ok then
        native.log("error", "stop of system " .. system.name .. ": " .. report.get_message(problem))
      end
      query.close_all()
    end
  end
end

-- Calls `destroy` of all behaviours when the game ends, for each entity for which `create` has been called. Errors are
-- logged.
function M.destroy_behaviours()
  for _, system in ipairs(M.list) do
    if system.destroy and system.observer and system.started and not system.off[CHANGES] then
      scope.set(system.at.addon or false)
      local problem = observers.run_last(system, system.destroy)
      scope.set(false)
      if problem then
        native.log("error", "destroy of behaviour " .. system.name .. ": " .. report.get_message(problem))
      end
      query.close_all()
    end
  end
end

return M
