-- Systems with `parallel = true`: the Lua half of engine/script/parallel.h. The body runs in VMs of its own, one for
-- each worker, on one chunk of rows after the other; q is those rows. A body reads what it likes of the world as it
-- was when the system began, and writes its own rows. So that chunks cannot see each other, a component that q can
-- write is out of reach across entities: parallel = { reads = { "transform" } } makes q.transform read-only, and then
-- other entities' transforms may be read.
--
-- Emitting, destroying, adding, removing and setting go into the chunk's list. What needs an answer from the world at
-- once, or a text that the world does not know yet, is refused.
local need, native = ...
local abi = need("base/abi")
local cache = need("base/cache")
local handle = need("base/handle")
local report = need("base/report")
local state = need("base/state")
local text = need("base/text")
local column = need("schema/column")
local component = need("schema/component")
local literal = need("schema/literal")
local value = need("schema/value")
local event = need("world/event")
local query = need("world/query")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.Range the rows of a chunk, in a worker's VM
---@field query C.query_o
---@field view table
---@field inner table behind `view`
---@field version integer of the layout that the columns were laid for
---@field sources (fun(): ffi.cdata*)[] give the column_view_t * that each place follows
---@field bytes integer[] of an element, by source
---@field terms table[]
---@field reads table<string, boolean> components that are only read
---@field entity_at integer the place of the entities
---@field count integer of places
---@field places ffi.cdata* column_view_t[]
---@field from ffi.cdata* column_view_t *[]
---@field sizes ffi.cdata* uint32_t[]

---@class engine.parallel
local M = {}
local WHERE = "a parallel system: it writes its own rows (q.…) and nothing else"

---@param what string "world.spawn"
---@param instead string
---@return fun()
local function refuse(what, instead)
  return function()
    report.complain("%s in a parallel system: %s", what, instead)
  end
end
M.refuse = refuse

-- --- what is checked while files are loaded

local function reads_of(declaration)
  local reads = {}
  for _, name in ipairs(type(declaration.parallel) == "table" and declaration.parallel.reads or {}) do
    reads[name] = true
  end
  return reads
end

local function check_reads(parallel, terms, fail)
  for key in pairs(parallel) do
    if key ~= "reads" then
      fail("parallel", "parallel has no part %s: there is reads, a list of components", tostring(key))
    end
  end
  if type(parallel.reads) ~= "table" then
    fail("parallel", "parallel = { reads = { … } }: which components does the system only read?")
  end
  for _, name in ipairs(parallel.reads) do
    local known = false
    for _, term in ipairs(terms) do
      known = known or (term.name == name and term.role ~= "without")
    end
    if not known then
      fail("reads", "the query has no component %s, so there is nothing to say about reading it", tostring(name))
    end
  end
end

-- Can this declaration run in parallel? `terms` are those of its query.
---@param declaration shoal.System
---@param terms engine.Term[]|nil
---@param fail fun(key: string, message: string, ...)
function M.check(declaration, terms, fail)
  if not declaration.update or not terms then
    fail("parallel", "parallel goes with an update over one query: query = { … }, update = function(q, dt) … end")
  elseif declaration.phase == "render" then
    fail("parallel", "a system of the render phase cannot be parallel: drawing has an order")
  end
  ---@cast terms engine.Term[]
  local many, others = nil, 0
  for _, term in ipairs(terms) do
    if term.role ~= "without" then
      if term.role == "with" and component.by_name[term.name].kind == "many" then
        many = term.name
      else
        others = others + 1
      end
    end
  end
  if many and others > 0 then
    fail("parallel", "%s has several rows an entity, which would share their other components: a parallel system over "
      .. "%s names nothing else", many, many)
  end
  if type(declaration.parallel) == "table" then
    check_reads(declaration.parallel, terms, fail)
  end
end

-- --- in the main VM

---@param system engine.System
---@return fun(dt: number)
function M.body(system)
  local record = system.record --[[@as engine.Query]]
  return function(dt)
    native.run_parallel(system.name, system.number, record.query.count, dt)
  end
end

-- --- in a worker's VM: the rows of a chunk

-- Views of a part of a query: for every field one that is laid over the column and one that goes through the row map,
-- of which the one that is not in use is empty. So a proxy that a script kept from an earlier layout finds no rows.
-- → the number of the place.
local function add_source(range, source, bytes)
  range.sources[#range.sources + 1], range.bytes[#range.bytes + 1] = source, bytes
  return #range.sources - 1
end

local function add_term(range, term)
  local known, query_of = component.by_name[term.name], range.query
  local item = { known = known, role = term.role, fields = {} }
  range.terms[#range.terms + 1] = item
  for i, field in ipairs(known.fields) do
    local bytes = ffi.sizeof(abi.element[abi.type_ids[field.type]]) * (field.type == "mat4" and 16 or 1)
    bytes = field.derived and 0 or bytes -- its view holds the component
    local function view(mapped)
      return function() return C.view_query_column(query_of, known.id, field.column, mapped) end
    end
    item.fields[i] = { direct = add_source(range, view(false), bytes), mapped = add_source(range, view(true), bytes) }
  end
  if term.role ~= "with" then
    item.present = add_source(range, function() return C.view_query_present(query_of, known.id) end, 0)
  end
end

-- → what the body gets, and the table behind it. `names`: those of the components that it has.
local function range_view(names)
  local view, inner = column.closed(function(name)
    report.complain("the query has no component %s%s: there are %s", tostring(name), report.aside(name, names),
      table.concat(names, ", "))
  end, function(name)
    report.complain("q.%s cannot be assigned: write to an element of a column", tostring(name))
  end)
  for name in pairs(query.methods) do
    inner[name] = refuse("q:" .. name, "there are e:destroy, e:add and e:remove")
  end
  return view, inner
end

local function new_range(system)
  local record, names = query.intern(system.terms), {}
  local range = { query = record.query, version = -1, sources = {}, bytes = {}, fields = {}, terms = {},
    reads = reads_of(system.declaration) }
  range.view, range.inner = range_view(names)
  range.entity_at = add_source(range, function() return record.query.entity_view end, 4)
  for _, term in ipairs(system.terms) do
    if term.role ~= "without" then
      names[#names + 1] = term.name
      add_term(range, term)
    end
  end
  local count = #range.sources
  range.count = count
  range.places = ffi.new("column_view_t[?]", count)
  range.from = ffi.new("column_view_t *[?]", count)
  range.sizes = ffi.new("uint32_t[?]", count, range.bytes)
  return range
end

-- A derived field follows from rows that other workers write.
local function out_of_reach(name, field)
  local function refused()
    report.complain("%s.%s is calculated from all that %s holds, and this parallel system may write %s: with "
      .. "parallel = { reads = { \"%s\" } } it can be read", name, field, name, name, name)
  end
  return setmetatable({}, { __index = refused, __newindex = refused, __metatable = false })
end

-- Proxies over the places, and the addresses of the views that they follow.
local function lay(range)
  local inner, has = range.inner, nil
  for i, source in ipairs(range.sources) do
    range.from[i - 1] = source()
  end
  local function proxy(at, field, label, way, read_only)
    return column.proxy(range.places + at, field, label, way, read_only, range.places, true)
  end
  inner.entity = proxy(range.entity_at, { name = "entity", type = "entity", read_only = true }, "entity", "direct")
  for _, item in ipairs(range.terms) do
    local known = item.known
    local mapped = item.role ~= "with" or not C.view_query_aligned(range.query, known.id)
    local columns = column.strict(known.name, "field")
    local i = 0
    column.fill(columns, known.fields, known.name, function(field)
      i = i + 1
      local at = item.fields[i]
      if field.derived and not range.reads[known.name] then
        return out_of_reach(known.name, field.name)
      end
      return proxy(mapped and at.mapped or at.direct, field, known.name .. "." .. field.name,
        mapped and "mapped" or "direct", range.reads[known.name])
    end)
    inner[known.name] = columns
    if item.present then
      has = has or column.strict("q.has", "optional component")
      column.contents(has)[known.name] = column.presence(range.places + item.present, "q.has." .. known.name)
    end
  end
  inner.has = has
end

local function close(range)
  for i = 0, range.count - 1 do
    range.places[i].count = 0
  end
  range.inner.count = 0
end

local chunk -- where the chunk that runs keeps what it asks for
local owned = {} -- components that the system that runs may write, by name
local open
local doomed ---@type table<integer, boolean>? ids that the chunk that runs has destroyed

---@param system engine.System
---@param address integer of the chunk_t
---@param first integer row, from 0
---@param count integer
---@param dt number seconds
function M.run_chunk(system, address, first, count, dt)
  if open then -- the chunk before this one failed
    close(open)
  end
  local range = system.range --[[@as engine.Range]]
  text.refresh()
  cache.refresh()
  chunk, owned, open, doomed = abi.pointer("chunk_t *", address), system.owned, range, nil
  state.system = system
  local version = C.view_query_version(range.query)
  if version ~= range.version then
    lay(range)
    range.version = version
  end
  C.chunk_views(range.places, range.from, range.sizes, range.count, first, count)
  range.inner.count = count
  system.declaration.update(range.view, dt)
  close(range)
  open, chunk, state.system = nil, nil, nil
end

-- --- in a worker's VM: what bodies may do

local KIND = { destroy = 1, add = 2, remove = 3, set = 4, emit = 5, emit_set = 6 }

local function push(kind, e, a, b, at, number)
  if chunk == nil then
    report.complain("the world cannot be changed here")
  end
  C.chunk_push(chunk, kind, e, a, b, at, number)
end

local function not_owned(name, what)
  if owned[name] then
    report.complain("%s: this parallel system may write %s, so other rows of it are out of reach; with parallel = { "
      .. "reads = { \"%s\" } } it is read-only here and may be read everywhere", what, name, name)
  end
end

-- Everything is encoded before anything is asked for: an error in the middle leaves nothing half done.
local function encode(target, values)
  local columns, numbers = {}, {}
  if values ~= nil then
    value.each(target, values, function(at, number)
      columns[#columns + 1], numbers[#numbers + 1] = at, number
    end)
  end
  return columns, numbers
end

local function emit(name, values)
  if type(name) ~= "string" or name:find("^shoal%.") then
    report.complain("world.emit: there is no event %s%s", tostring(name), report.hint(name, event.by_name))
  end
  local known = event.find(name, "world.emit")
  local columns, numbers = encode(known, literal.plain(values))
  push(KIND.emit, 0, known.id, 0, 0, 0)
  for i = 1, #columns do
    push(KIND.emit_set, 0, 0, 0, columns[i], numbers[i])
  end
end

local function living(e, method)
  local id = handle.id(e)
  if not id then
    report.complain("e:%s(): %s is not an entity (with a colon: e:%s(…))", method, report.plain(e), method)
  elseif not handle.alive(id) then
    report.complain("e:%s(): %s", method, component.obituary(id))
  end
  return id
end

local function target_of(name, method, instance)
  local known = component.find(name, "e:" .. method)
  if known.kind == "single" then
    report.complain("e:%s: %s is a single: it belongs to no entity", method, name)
  elseif instance ~= nil and (known.kind ~= "many" or type(instance) ~= "string") then
    report.complain("e:%s: %s has no such instance", method, name)
  end
  return known, instance and text.intern(instance) or 0
end

local function set_fields(id, known, at, columns, numbers)
  for i = 1, #columns do
    push(KIND.set, id, known.id, at, columns[i], numbers[i])
  end
end

local methods = {
  enter = refuse("e:enter", "emit an event, and let an ordinary system do it"),
  send = refuse("e:send", "emit an event, and let an ordinary system send it"),
  children = refuse("e:children",
    "the tree of transforms is put in order when it is asked for; keep what you need in columns"),
  describe = refuse("e:describe", "it reads every component"),
}

function methods.alive(e)
  local id = handle.id(e)
  return id ~= nil and handle.alive(id) and not (doomed and doomed[id])
end

function methods.destroy(e)
  if not methods.alive(e) then
    return false
  end
  local id = handle.id(e) --[[@as integer]]
  push(KIND.destroy, id, 0, 0, 0, 0)
  doomed = doomed or {}
  doomed[id] = true
  return true
end

function methods.add(e, name, values, instance)
  local id = living(e, "add")
  local known, at = target_of(name, "add", instance)
  local columns, numbers = encode(known, values)
  push(KIND.add, id, known.id, at, 0, 0)
  set_fields(id, known, at, columns, numbers)
  return e
end

function methods.set(e, name, values, instance)
  local id = living(e, "set")
  local known, at = target_of(name, "set", instance)
  if not C.world_has(W, id, known.id) then
    component.lacking(known, id)
  end
  local columns, numbers = encode(known, values)
  set_fields(id, known, at, columns, numbers)
  return e
end

function methods.remove(e, name, instance)
  local id = living(e, "remove")
  local known, at = target_of(name, "remove", instance)
  push(KIND.remove, id, known.id, at, 0, 0)
  return (C.world_has(W, id, known.id))
end

local function replace_methods()
  local metatable = debug.getmetatable(handle.none)
  local inner = metatable.__index
  metatable.__index = function(e, name)
    local method = methods[name]
    if method then
      return method
    elseif owned[name] then
      not_owned(name, "e." .. name)
    elseif name == "parent" then
      not_owned("transform", "e:parent")
    elseif name == "name" then
      not_owned("name", "e:name")
    end
    return inner(e, name)
  end
end

local function random(a, b)
  local stream = C.chunk_random(chunk)
  if a == nil then
    return (C.random_unit(stream))
  end
  if b == nil then
    a, b = 1, a
  end
  if type(a) ~= "number" or type(b) ~= "number" or b < a then
    report.complain("world.random(%s, %s): an empty interval", tostring(a), tostring(b))
  elseif a % 1 == 0 and b % 1 == 0 then
    return a + math.floor(C.random_unit(stream) * (b - a + 1))
  end
  return a + C.random_unit(stream) * (b - a)
end

local SPAWN = "emit an event, and let an ordinary system spawn"
local OTHERS = "declare a query, or read other entities with world.lookup"
local ASK = "emit an event, and let an ordinary system ask for it"

-- `world` is what scripts get, and `functions` the table behind it.
---@param functions table<string, function>
function M.replace_world(functions)
  local lookup = functions.lookup
  functions.alive, functions.emit, functions.random = methods.alive, emit, random
  function functions.lookup(name)
    not_owned(name, "world.lookup")
    return lookup(name)
  end
  functions.spawn, functions.spawn_many = refuse("world.spawn", SPAWN), refuse("world.spawn_many", SPAWN)
  for _, name in ipairs { "query", "each", "find", "explain", "who_targets", "targets", "changes", "changed" } do
    functions[name] = refuse("world." .. name, OTHERS)
  end
  for _, name in ipairs { "hash", "quit", "restart", "pause", "scene", "define", "snapshot", "restore", "compare",
    "past", "timeline", "rewind", "ghosts", "save", "load", "sql", "watch", "export", "import", "run", "system" } do
    functions[name] = refuse("world." .. name, ASK)
  end
end

---@param functions table<string, function> those of `assets`
function M.replace_assets(functions)
  for _, name in ipairs { "preload", "ready", "screen" } do
    functions[name] = refuse("assets." .. name, ASK)
  end
end

-- For draw, audio and window: tables whose every function is refused.
---@param what string "draw"
---@return table
function M.refused(what)
  return setmetatable({}, {
    __index = function(_, name)
      return refuse(what .. "." .. tostring(name), ASK)
    end,
    __newindex = refuse("assigning to " .. what, ASK),
    __metatable = false,
  })
end

-- The world's table of texts is everybody's: workers only look things up in it.
local function find_text(words)
  if words == "" then
    return 0
  end
  local id = words:find("\0", 1, true) and 0 or C.strings_find(abi.strings, words)
  if id == 0 then
    report.complain("the text %q is new to the world, and a parallel system cannot add it: use it first where there is "
      .. "one worker (an assemblage, start, an ordinary system)", words)
  end
  return id
end

-- After the main VM has declared everything.
---@param list engine.System[]
function M.join(list)
  for _, system in ipairs(list) do
    if system.declaration.parallel then
      system.range = new_range(system)
      system.owned = {}
      for _, item in ipairs(system.range.terms) do
        system.owned[item.known.name] = not system.range.reads[item.known.name] or nil
      end
    end
  end
  state.loading, state.rendering, state.where = false, true, WHERE
  replace_methods()
  text.intern, text.keep = find_text, find_text
end

return M
