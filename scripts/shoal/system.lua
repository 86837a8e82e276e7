-- Systems: from a file's table to something that C runs by number. A run is: enter and leave, then `on` handlers, then the body; what
-- it queues is applied when it ends. These are its pieces: an error drops what the run queued and parks the piece that failed until the
-- next reload, and the others go on. Before each piece the place says which one it is, for C.
local need, native = ...
local abi, column, component, event, handle, query, report, state, text =
  need("abi"), need("column"), need("component"), need("event"), need("handle"), need("query"), need("report"), need("state"), need("text")
local draw, kernel, parallel, plugins, sorted = need("draw"), need("kernel"), need("parallel"), need("plugins"), need("sorted")
local ffi, C, W, place = abi.ffi, abi.C, abi.world, abi.place

local M = { list = {}, by_name = {}, idle = {} } -- idle: names of systems that are left out, for what they need is missing

local KEYS = {
  phase = "string", query = "table", queries = "table", kernel = "function", update = "function", each = "function",
  after = "names", before = "names", priority = "number", enabled = "boolean", every = "number", on = "table",
  enter = "function", leave = "function", start = "function", stop = "function", reload = "function", parallel = "parallel",
}
local PHASES = { input = true, pre_update = true, update = true, post_update = true, render = true }

local function check_shape(name, system, fail)
  if type(system) ~= "table" then
    fail(nil, "the file must return a table: return { query = { … }, update = function(q, dt) … end }")
  end
  for key, v in pairs(system) do
    local expected = KEYS[key]
    if not expected then
      fail(key, "a system has no part %s: there are %s", tostring(key), report.names(KEYS))
    elseif expected == "parallel" then
      if type(v) ~= "boolean" and type(v) ~= "table" then
        fail(key, "parallel is true, or { reads = { … } } with the components that the system only reads")
      end
    elseif expected == "names" then
      if type(v) ~= "string" and type(v) ~= "table" then
        fail(key, "%s is the name of a system or a list of names", key)
      end
    elseif type(v) ~= expected then
      fail(key, "%s is a %s, not a %s", key, expected, type(v))
    end
  end
  local bodies = {}
  for _, form in ipairs { "kernel", "update", "each" } do
    bodies[#bodies + 1] = system[form] and form
  end
  if #bodies > 1 then
    fail(bodies[2], "%s has several bodies, %s: a system has one", name, table.concat(bodies, " and "))
  end
  if system.query and system.queries then
    fail("queries", "%s has both query and queries: name all of them in queries", name)
  end
  if system.phase and not PHASES[system.phase] then
    fail("phase", "there is no phase %s: there are input, pre_update, update, post_update and render", system.phase)
  end
  for _, key in ipairs { "kernel", "each", "enter", "leave" } do
    if system[key] and not system.query then
      fail(key, "%s needs a query", key)
    end
  end
  if system.every and (system.every < 1 or system.every % 1 ~= 0) then
    fail("every", "every is a whole number of ticks, 1 or more")
  end
  if system.priority and (system.priority % 1 ~= 0 or math.abs(system.priority) > 2 ^ 31 - 1) then
    fail("priority", "priority is a whole number")
  end
  for _, key in ipairs { "after", "before" } do
    for _, other in ipairs(type(system[key]) == "table" and system[key] or {}) do
      if type(other) ~= "string" then
        fail(key, "%s is the name of a system or a list of names, not of a %s", key, type(other))
      end
    end
  end
end

local function names_of(v)
  return type(v) == "table" and v or v and { v } or {}
end

-- The first component or event that it names and nobody has; nil when there is none.
local function unknown_in(declaration)
  local found
  local function look(wanted)
    if type(wanted) == "string" and not component.by_name[wanted] and not component.metadata[wanted] then
      found = found or wanted
    end
  end
  local function look_in(declared)
    for key, wanted in pairs(type(declared) == "table" and declared or {}) do
      for _, name in ipairs(type(key) == "string" and names_of(wanted) or { wanted }) do
        look(name)
      end
    end
  end
  look_in(declaration.query)
  for _, declared in pairs(declaration.queries or {}) do
    look_in(declared)
  end
  for wanted in pairs(declaration.on or {}) do
    if not event.by_name[wanted] then
      found = found or wanted
    end
  end
  return found
end

-- Every system has these pieces; its handlers come behind them, by the names of their events. `enter` and `leave` are one: what one of them
-- has not heard of is kept for both.
local START, RELOAD, CHANGES, BODY = 1, 2, 3, 4
local PIECES = { "start", "reload", "enter and leave", "body" }

-- `parts`: names of further pieces, for a behaviour, and what it calls `changes` and `body`.
local function pieces_of(declaration, parts)
  local names, by_name = {}, {}
  local function add(piece)
    names[#names + 1] = piece
    by_name[piece] = #names
  end
  for i, piece in ipairs(PIECES) do
    add(parts and (i == CHANGES and parts.changes or i == BODY and parts.body) or piece)
  end
  for _, wanted in ipairs(sorted(declaration.on or {})) do
    add("on " .. wanted)
  end
  for _, part in ipairs(parts or {}) do
    add(part)
  end
  return names, by_name
end

-- at: { file, text }. Checks everything that can be checked without the world.
function M.add(name, declaration, at, parts)
  local function fail(key, message, ...)
    report.fail { message = string.format(message, ...), file = at.file, line = key and report.line_of(at.text, key) or 1,
      piece = "system " .. name }
  end
  check_shape(name, declaration, fail)
  local unknown = unknown_in(declaration)
  if unknown and plugins.excuses("system " .. name, unknown) then
    M.idle[name] = true
    return
  end
  local system = { name = name, at = at, declaration = declaration, phase = declaration.phase or "update",
    priority = declaration.priority or 0, every = declaration.every or 1, after = names_of(declaration.after),
    before = names_of(declaration.before), enabled = declaration.enabled ~= false, queries = {}, off = {} }
  system.pieces, system.piece_called = pieces_of(declaration, parts)
  local function exists(wanted)
    if component.metadata[wanted] and not component.by_name[wanted] then
      fail(wanted, "%s is metadata and is not loaded: no query can see it", wanted)
    elseif not component.by_name[wanted] then
      fail(wanted, "there is no component %s", tostring(wanted))
    elseif component.by_name[wanted].kind == "single" then
      fail(wanted, "%s is a single: read world.single.%s", wanted, wanted)
    end
  end
  local function read(key, declared)
    local good, terms = pcall(query.read, declared, "system " .. name, exists)
    if not good then
      if type(terms) == "table" and terms.file then
        error(terms, 0)
      end
      fail(key, "%s", type(terms) == "table" and terms.message or tostring(terms))
    end
    return terms
  end
  if declaration.query then
    system.terms = read("query", declaration.query)
  end
  if declaration.parallel then
    parallel.check(declaration, system.terms, fail)
  end
  if declaration.kernel then
    local good, trace = pcall(kernel.trace, declaration.kernel, system.terms)
    if not good then
      local problem = type(trace) == "table" and trace or { message = trace }
      local line, message = problem.message:match("^[^%s:]+:(%d+): (.*)$")
      report.fail { message = message or problem.message, file = at.file, piece = "system " .. name,
        line = problem.line or tonumber(line) or report.line_of(at.text, "kernel") }
    end
    system.trace = trace
  end
  for key, declared in pairs(declaration.queries or {}) do
    system.queries[key] = read(key, declared)
  end
  for wanted, handler in pairs(declaration.on or {}) do
    if not event.by_name[wanted] then
      fail(wanted, "there is no event %s: there are %s", tostring(wanted), report.names(event.by_name))
    elseif type(handler) ~= "function" then
      fail(wanted, "on.%s is a function, not a %s", wanted, type(handler))
    end
  end
  if M.by_name[name] then
    fail(nil, "there are two systems called %s", name)
  end
  system.number = #M.list + 1
  M.list[system.number], M.by_name[name] = system, system
  return system
end

-- A name in after or before that no system has is a typo. The engine's own ("shoal.transform") are C's and not known here.
local function check_neighbours(system)
  for _, key in ipairs { "after", "before" } do
    for _, other in ipairs(system[key]) do
      if not M.by_name[other] and not M.idle[other] and not plugins.systems[other] and not other:find("^shoal%.")
        and not plugins.excuses_system(other) then
        report.fail { message = string.format("%s: there is no system %s: there are %s", key, other, report.names(M.by_name)),
          file = system.at.file, line = report.line_of(system.at.text, key), piece = "system " .. system.name }
      end
    end
  end
end

-- Does some system listen to this event?
function M.hears(name)
  for _, system in ipairs(M.list) do
    if (system.declaration.on or {})[name] then
      return true
    end
  end
  return false
end

-- Hands the order to C. `schedule` and `vm` are C's.
function M.schedule(schedule, vm)
  for _, system in ipairs(M.list) do
    check_neighbours(system)
    if not C.declare_system(schedule, vm, system.name, system.phase, system.priority, table.concat(system.after, "\n"),
        table.concat(system.before, "\n"), 1, system.number, abi.error) then
      report.fail { message = abi.error_text(), file = system.at.file, line = 1, piece = "system " .. system.name }
    end
  end
end

-- --- running

-- A loop of its own per system, so that each gets its own machine code. The entity at hand is found by its locals (engine/script/report.c);
-- in compiled code, which has none, by what it leaves in the place, where a crash finds it.
local EACH = [[
local handle, place = ...
return function(query, each, dt)
  local ids = query.entities
  for i = 0, query.count - 1 do
    place.entity = ids[i]
    each(handle(ids[i]), dt)
  end
  place.entity = 0
end
]]

local function body_of(system)
  local declaration = system.declaration
  if declaration.each then
    local loop, each, record = loadstring(EACH, "@[shoal]/loop.lua")(handle.handle, place), declaration.each, system.record
    return function(dt)
      loop(record.query, each, dt)
    end
  end
  if declaration.kernel then
    return kernel.body(system)
  end
  local update = declaration.update
  if not update then
    return nil
  end
  if declaration.parallel then
    return parallel.body(system)
  elseif system.record then
    local view = system.record.view
    return function(dt)
      update(view, dt)
    end
  elseif next(system.queries) then
    local views = system.views
    return function(dt)
      update(views, dt)
    end
  end
  return update
end

local started_event -- see view_first_run

function M.bind_all()
  started_event = event.by_name["shoal.started"]
  for _, system in ipairs(M.list) do
    system.id = text.keep(system.name)
    if system.terms then
      system.record = query.intern(system.terms)
    end
    local views
    system.records = {}
    system.views, views = column.closed(function(name)
      report.complain("%s has no query %s: there are %s", system.name, tostring(name), report.names(system.queries))
    end, function(name)
      report.complain("q.%s cannot be assigned", tostring(name))
    end)
    for i, key in ipairs(sorted(system.queries)) do
      system.records[i] = query.intern(system.queries[key])
      views[key] = system.records[i].view
    end
    if system.record then
      system.records[#system.records + 1] = system.record
    end
    if system.declaration.enter or system.declaration.leave then
      system.watcher = C.world_watch(W, system.id, system.record.query)
      system.watched = ffi.new("uint32_t[1]")
    end
    system.readers = {}
    for i, name in ipairs(sorted(system.declaration.on or {})) do
      system.readers[i] = { handler = system.declaration.on[name], reader = event.reader(event.by_name[name], system.name),
        piece = system.piece_called["on " .. name] }
    end
    system.body = body_of(system)
  end
  text.on_change(M.restored)
end

-- The world may be one of earlier now: names have other ids, watchers other numbers, and a system may have started in a tick that is
-- yet to come. Nothing changes when it was only a sweep.
function M.restored()
  for _, system in ipairs(M.list) do
    system.id = text.keep(system.name)
    for _, item in ipairs(system.readers) do
      item.reader.name = text.keep(item.reader.system)
    end
  end
  for _, system in ipairs(M.list) do
    if system.watcher then
      system.watcher = C.world_watch(W, system.id, system.record.query)
    end
    system.started = system.started and C.view_has_run(W, system.id, started_event.id)
  end
end

local function run_watch(system)
  place.watcher = system.watcher
  local changes = C.world_watch_take(W, system.watcher, system.watched)
  if system.watched[0] == 0 then
    return
  end
  local enter, leave = system.declaration.enter, system.declaration.leave
  local list = {} -- copied: the callbacks' own changes must not move it
  for i = 0, system.watched[0] - 1 do
    list[i + 1] = { changes[i].entity, changes[i].entered }
  end
  for _, change in ipairs(list) do
    local call = change[2] and enter or not change[2] and leave
    if call then
      state.entity = change[1]
      call(handle.handle(change[1]))
    end
  end
  state.entity = 0
end

-- May it run? Then it is what runs from here on.
local function begin(system, piece)
  if system.off[piece] then
    C.vm_skip(abi.vm, system.number, piece)
    return false
  end
  place.piece = piece
  return true
end

local function run_handlers(system, dt)
  for _, item in ipairs(system.readers) do
    if begin(system, item.piece) then
      local view, count = event.open(item.reader)
      if count > 0 then
        item.handler(view, dt)
      end
      event.close(item.reader)
      item.heard = true
    end
  end
end

local function run(system, dt)
  local declaration = system.declaration
  if not system.started then
    local first = not C.view_has_run(W, system.id, started_event.id)
    if first and declaration.start then
      place.piece = START
      declaration.start()
    elseif not first and state.reloaded and declaration.reload and not C.vm_is_started(abi.vm, system.number)
      and begin(system, RELOAD) then
      declaration.reload()
    end
  end
  if system.watcher and begin(system, CHANGES) then
    run_watch(system)
  end
  if #system.readers > 0 then
    run_handlers(system, dt)
  end
  if system.body and (system.every == 1 or C.view_tick(W) % system.every == 0) and begin(system, BODY) then
    system.body(dt)
  end
  place.piece = 0
end

-- What it was told counts as told once its run has come to its end: an error drops what the run queued, and then it is told again.
local function hear(system)
  place.watcher = 0
  for _, item in ipairs(system.readers) do
    if item.heard then
      item.heard = false
      event.seen(item.reader)
    end
  end
end

function M.run(number, dt)
  local system = M.list[number]
  if not system.enabled then
    return
  elseif system.off[START] then -- nothing of a system that could not start runs
    C.vm_skip(abi.vm, number, START)
    return
  end
  text.refresh()
  state.system, state.rendering = system, system.phase == "render"
  if state.rendering then
    draw.reset()
  end
  C.world_defer_begin(W, system.id)
  local records = system.records
  for i = 1, #records do
    query.open(records[i])
  end
  run(system, dt)
  hear(system)
  if not system.started then -- only now: what a system did that failed on the way is dropped, and its start with it
    system.started = true
    C.view_first_run(W, system.id, started_event.id)
    C.vm_has_started(abi.vm, number)
  end
  for i = 1, #records do
    query.close(records[i])
  end
  query.close_here()
  state.system, state.rendering = nil, false
  C.world_defer_end(W, false)
end

-- After an error anywhere: nothing stays open or queued.
function M.clear_up()
  query.close_all()
  for _, system in ipairs(M.list) do
    for _, item in ipairs(system.readers or {}) do
      event.close(item.reader)
      item.heard = false
    end
  end
  state.system, state.rendering, state.outside, state.entity = nil, false, false, 0
  while C.world_is_deferring(W) do
    C.world_defer_end(W, true)
  end
  if place.watcher ~= 0 then -- what `enter` and `leave` queued is dropped as well: the mended system hears of them again
    C.world_watch_return(W, place.watcher)
    place.watcher = 0
  end
end

-- → the piece in words
function M.park(number, piece)
  M.clear_up()
  local system = M.list[number]
  system.off[piece] = true
  local title, part = system.title or "system " .. system.name, system.pieces[piece]
  return (piece == BODY or piece == START and not system.declaration.start) and title or title .. ", " .. part
end

-- "movement/body": the name of a piece in recordings, and the way back to its numbers.
function M.piece_name(number, piece)
  local system = M.list[number]
  return system.name .. "/" .. system.pieces[piece]
end

-- The file and the line where its function begins; line 0 when that is nowhere in the file.
function M.piece_place(number, piece)
  local system = M.list[number]
  local declaration, wanted = system.declaration, system.pieces[piece]
  local f = system.functions and system.functions[wanted]
  if not f then
    f = piece == START and declaration.start or piece == RELOAD and declaration.reload
      or piece == CHANGES and (declaration.enter or declaration.leave)
      or piece == BODY and (declaration.update or declaration.each or declaration.kernel)
      or (declaration.on or {})[wanted:match("^on (.*)$")]
  end
  local info = type(f) == "function" and debug.getinfo(f, "S")
  return system.at.file, info and info.source == "@" .. system.at.file and info.linedefined or 0
end

function M.piece_called(name)
  for number, system in ipairs(M.list) do
    local piece = name:sub(1, #system.name + 1) == system.name .. "/" and system.piece_called[name:sub(#system.name + 2)]
    if piece then
      return number, piece
    end
  end
end

-- The tick runs a second time: who started in the first attempt has not.
function M.run_again()
  for number, system in ipairs(M.list) do
    system.started = system.started and C.vm_is_started(abi.vm, number)
  end
end

local function retires(system, kept)
  return system.declaration.stop and not kept[system.name] and not system.off[START] and system.started
end

function M.has_retiring(kept)
  for _, system in ipairs(M.list) do
    if retires(system, kept) then
      return true
    end
  end
  return false
end

-- `stop` of those that `kept` (a set of names) does not have.
function M.retire(kept)
  for _, system in ipairs(M.list) do
    if retires(system, kept) then
      local good, problem = xpcall(system.declaration.stop, report.placed)
      if not good then
        native.log("error", "stop of system " .. system.name .. ": " .. report.words(problem))
      end
      query.close_all()
    end
  end
end

return M
