-- Compiles systems to native code: executes the bytecode of a system's function symbolically
-- (compile/symbolic_exec.lua), emits LLVM IR (compile/emit.lua), compiles it on a background thread, and runs it
-- instead of Lua as soon as it is ready (engine/native). Results are bit-identical, so only timing shows the switch.
--
-- Guards are checked before each run: the file's locals and constant tables for which the code was compiled must be
-- unchanged. Rows that take a side exit run in Lua, in row order.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local sorted_keys = need("base/sorted_keys")
local guards = need("compile/guards")
local bytecode = need("compile/bytecode")
local commands = need("compile/commands")
local emit = need("compile/emit")
local symbolic_exec = need("compile/symbolic_exec")
local ir = need("compile/ir")
local loop_rewrite = need("compile/loop_rewrite")
local number = need("math/number")
local proxies = need("schema/column")
local component = need("schema/component")
local util = require("jit.util")
local C = abi.C

---@class engine.compile
local M = {}

local MIN_ROWS = 256  -- compiling does not pay off below this
local MAX_READINGS = 8 -- symbolic executions of a system whose guards keep failing
local UNTIL_AGAIN = 30  -- runs until the next attempt if something was missing
local MAX_AT_ONCE = 64 -- consecutive rows that Lua runs before it returns to the code
local CLOSE = 2         -- distance in rows below which side exits count as consecutive
local MIN_STOPS, MIN_BETWEEN_STOPS = 16, 4 -- more side exits than this, with fewer rows between them: Lua runs the rest

local RUNS_WHERE_EAGER = 3 -- in eager mode: runs without calling Lua, followed by one through Lua

local TURN_NS = 450000  -- time slice for symbolic execution in a tick
local MAX_WAITING = 1000 -- requests by other systems after which an unfinished symbolic execution is dropped

local IN_ORDER, APART, FREE = 0, 1, 2 -- native_rows_t

local set, level, eager ---@type ffi.cdata*, integer, boolean
local swaps ---@type integer
local reading ---@type { it: table, thread: thread, waiting: integer, turns: integer }?
local marked = C.world_tracks_touched(abi.world)

-- Initializes compilation for this VM. Must be called before a system is bound.
function M.begin()
  reading = nil
  set = C.vm_begin_native(abi.vm)
  level = bytecode.is_known and C.native_set_level(set) or 0
  eager, swaps = C.native_set_waits(set), C.native_set_swaps(set)
end

-- --- for bodies compiled without side exits (compile/whole_body.lua)

---@return integer level codegen_level_t, 0: nothing is compiled
function M.level()
  return level
end

-- Returns true if systems wait for their code (eager mode).
---@return boolean
function M.is_eager()
  return eager
end

-- Returns true if code marks the rows that it writes.
---@return boolean
function M.is_marked()
  return marked
end

-- Drops the unfinished symbolic execution, because another system is executed now.
function M.drop_reading()
  reading = nil
end

local function place(system)
  local f = system.declaration.update or system.declaration.each
  return ("%s:%d"):format(system.at.file, debug.getinfo(f, "S").linedefined)
end

-- Returns the reason why a system is never compiled, or nil.
local function unfit(system)
  if system.name:find("^shoal%.") then
    return "it is the engine's own"
  elseif system.phase == "render" then
    return "it draws"
  end
end

-- Splits the terms of a query into required and optional components.
---@param terms engine.Term[]
---@return table<string, engine.Component> that every row has
---@return table<string, boolean> that rows may have
local function components_of(terms)
  local out, optional = {}, {}
  for _, term in ipairs(terms) do
    if term.role == "with" then
      out[term.name] = component.by_name[term.name]
    elseif term.role ~= "without" then
      optional[term.name] = true
    end
  end
  return out, optional
end

-- Records why a system or one of its loops is not compiled, and therefore cannot run in parallel with others.
local function refuse_at(name, at, why)
  C.native_set_refused(set, name, at, why)
  C.vm_runs_alone(abi.vm, name, at .. ": " .. why:gsub("^it ", ""))
end

local function refused(system, why, line)
  refuse_at(system.name, line and ("%s:%d"):format(system.at.file, line) or place(system), why)
end

-- Records why a compiled system cannot run in parallel with others: its rows run in order, or some may run in Lua.
---@param name string of the system
---@param file string
---@param at string
---@param result engine.front.Result
local function say_in_turn(name, file, at, result)
  local words = result.why[1]
  if words then
    at, words = ("%s:%d"):format(file, result.why_lines[words]), "rows may be left to Lua: " .. words
  else
    words = #result.carried > 0 and "a value is carried from row to row"
      or #result.writes > 0 and "rows write other rows"
      or result.asks_tiles and "rows read tiles" or "rows use their number"
  end
  C.vm_runs_alone(abi.vm, name, at .. ": " .. words)
end

local function slot_of(loop, key, column)
  if key == "entity" then
    return C.native_loop_entities(loop)
  elseif column.of then
    return C.native_loop_far(loop, column.of.query, component.by_name[column.component].id, column.field.column,
      column.rows == true)
  elseif column.whole then
    return C.native_loop_whole(loop, component.by_name[column.component].id, column.field.column,
      column.written == true)
  elseif column.presence then
    return C.native_loop_presence(loop, component.by_name[column.component].id)
  end
  return C.native_loop_column(loop, component.by_name[column.component].id, column.field.column, column.written == true)
end

-- Adds a guard for each column that is written in rows and also read from another entity: that entity must not be one
-- of the rows.
local function add_strangers(terms, result)
  for key, entity in pairs(result.others) do
    local column, whole = result.columns[key], result.columns["of others " .. key]
    if column and column.written or whole and whole.written then
      result.checks[#result.checks + 1] = { v = false, fetch = function()
        local id = handle.id(entity.fetch())
        for _, term in ipairs(terms) do
          if term.role == "with" and component.by_name[term.name].row_of(id) < 0 then
            return false
          end
        end
        return true
      end }
    end
  end
end

-- Adds the guards for aliasing between several queries, or between a query and an entity.
local function add_checks(record, result)
  add_strangers(record.terms, result)
  for _, other in pairs(result.apart) do
    result.checks[#result.checks + 1] = { v = true, fetch = function()
      return C.native_apart(record.query, other.query)
    end }
  end
end

-- Adds the columns, lookups and guards that only the deferred side exits need. Returns false if a limit is exceeded.
local function add_deferred(loop, result, record)
  local deferred = result.deferred
  add_checks(record, deferred)
  for _, key in ipairs(sorted_keys(deferred.columns)) do
    local column, known = deferred.columns[key], result.columns[key]
    local is_new = not known or column.written and not known.written
    if is_new and column.component and not column.presence and not column.rows
      and not C.native_loop_exit_access(loop, component.by_name[column.component].id, column.field.column,
        column.written == true) then
      return false
    end
  end
  for _, name in ipairs(sorted_keys(deferred.reads)) do
    if not result.reads[name] and not C.native_loop_reads(loop, component.by_name[name].id) then
      return false
    end
  end
  for _, list in ipairs { "checks", "early" } do
    for _, item in ipairs(deferred[list]) do
      table.insert(result[list], item)
    end
  end
  return true
end

-- Returns the loop-carried values with their parameter indices: { put, kind, at, noted }.
local function carried_of(result)
  local at, out = {}, {}
  for i, item in ipairs(result.parameters) do
    at[item.key] = i - 1
  end
  for _, item in ipairs(result.carried) do
    if item.put then
      out[#out + 1] = { put = item.put, kind = item.kind, at = at[item.key], slot = item.slot,
        noted = at["written " .. item.key] }
    end
  end
  return out
end

local function is_read(it)
  return reading ~= nil and reading.it == it
end

local function is_to_be_read(it, count)
  it.rests = it.rests - 1
  local due = it.rests <= 0 and it.readings < MAX_READINGS and (count >= MIN_ROWS or eager)
  return not it.made and (due or is_read(it))
end

-- Returns true if the machine code is ready; caches this, because it then stays ready.
local function is_ready(made)
  if made and not made.is_ready then
    made.is_ready = C.native_loop_is_ready(made.loop)
  end
  return made and made.is_ready
end

local function note_turns(it, turns)
  if it.made then
    C.native_loop_note_turns(it.made.loop, turns)
  end
end

-- Resumes a symbolic execution with the JIT compiler off: the code runs once, and recording traces makes it three
-- times slower.
local function uncompiled(thread, it)
  local jit = require("jit")
  local was_on = jit.status()
  jit.off()
  local good, problem = coroutine.resume(thread, it)
  if was_on then
    jit.on()
  end
  return good, problem
end

-- Continues the symbolic execution of `it` for one time slice. Only one is active at a time. Values that change between
-- these ticks are caught by the guards before each run.
---@param it table state of the function
---@param read fun(it: table)
---@return any
local function read_on(it, read)
  local before = C.native_processor_ns()
  if eager then
    read(it)
    C.native_set_note_reading(set, C.native_processor_ns() - before)
    return note_turns(it, 1)
  elseif reading and reading.it ~= it then
    reading.waiting = reading.waiting + 1
    if reading.waiting < MAX_WAITING then
      return
    end
    reading = nil
  end
  reading = reading or { it = it, thread = coroutine.create(read), turns = 0 }
  reading.waiting, reading.turns = 0, reading.turns + 1
  local begun = C.native_clock_ns()
  ir.is_over = function() return C.native_clock_ns() - begun > TURN_NS end
  local good, problem = uncompiled(reading.thread, it)
  ir.is_over = nil
  C.native_set_note_reading(set, C.native_processor_ns() - before)
  if coroutine.status(reading.thread) == "dead" then
    note_turns(it, reading.turns)
    reading = nil
  end
  if not good then
    error(problem, 0)
  end
end

-- Declares the loop's lookups of other entities and the sources of its parameters. Returns false if C refuses one.
local function add_questions(loop, result)
  for _, name in ipairs(sorted_keys(result.reads)) do
    if not C.native_loop_reads(loop, component.by_name[name].id) then
      return false
    end
  end
  for _, item in ipairs(result.lookups) do
    local known = item.component and component.by_name[item.component]
    if C.native_loop_lookup(loop, item.question, known and known.id or 0) < 0 then
      return false
    end
  end
  return true
end

-- Creates the native loop of a result. Returns it with the indices of its columns and its parameters, or nil if C
-- refused it and recorded the reason.
---@param result engine.front.Result
---@param name string of the system
---@param at string
---@param record engine.Query
---@return any loop
---@return table? slot
---@return table? parameters
local function loop_of(result, name, at, record)
  result.foreign = number.is_foreign()
  add_checks(record, result)
  local loop = C.native_loop_create(set, name, at, record.query)
  local slot = {}
  for _, key in ipairs(sorted_keys(result.columns)) do
    slot[key] = slot_of(loop, key, result.columns[key])
    if slot[key] < 0 then
      return nil
    end
    C.native_loop_note_line(loop, slot[key], result.columns[key].line or 0)
  end
  local parameters = add_questions(loop, result) and C.native_loop_parameters(loop, #result.parameters) or nil
  if parameters == nil then
    return nil
  end
  if result.asks_tiles then
    C.vm_loop_uses_tiles(loop)
  end
  return loop, slot, parameters
end

-- Creates the state to run a loop: its guards, parameters, and the loop-carried values written back after a run.
---@param result engine.front.Result
---@param loop any
---@param parameters table
---@param record engine.Query
---@param in_turn boolean
---@return table
local function made_with(result, loop, parameters, record, in_turn)
  local made = { loop = loop, parameters = parameters, wanted = result.parameters, checks = result.checks,
    unknown = result.unknown, query = record.query, carried = carried_of(result), in_turn = in_turn,
    early = result.early or {}, loop_at = result.loop_at, leaves = #result.why > 0, stops = 0, cold_runs = 0 }
  made.ask, made.carry = guards.ask(made), guards.carry(made)
  return made
end

-- Returns whether rows depend on each other (native_rows_t).
---@param result engine.front.Result
---@return integer
function M.order_of(result)
  if #result.carried > 0 or #result.writes > 0 or result.asks_tiles == true then
    return IN_ORDER
  end
  return (#result.why > 0 or result.numbered == true) and APART or FREE
end
M.FREE, M.say_in_turn = FREE, say_in_turn

-- Returns the deferred side exits of a loop, or nil if they must run in row order or there are none.
local function exits_of(loop, result, record)
  if ir.is_const(result.stops, false) then
    return C.native_loop_defers(loop, false)
  elseif result.deferred and add_deferred(loop, result, record) then
    return C.native_loop_defers(loop, result.deferred.commands.changes)
  end
end

-- Compiles a result. Returns the state to run it, or nil if C refused it and recorded the reason.
local function made_of(result, name, at, record)
  local loop, slot, parameters = loop_of(result, name, at, record)
  if not loop then
    return nil
  end
  local code, at_once = emit.text(result, slot, level, marked)
  ir.pause() -- a cache lookup takes up to 0.5 ms
  local order = M.order_of(result)
  local exits = order == APART and exits_of(loop, result, record) or nil
  local in_turn = order ~= FREE and not exits
  if not C.native_loop_compile(loop, code, #code, at_once, order) then
    return nil
  end
  if in_turn then
    say_in_turn(name, at:match("^(.*):"), at, result)
  end
  local made = made_with(result, loop, parameters, record, in_turn)
  made.exits, made.spawns = exits, result.deferred and result.deferred.commands.spawns or 0
  return made
end

-- Returns the index of the parameter `dt`, or -1 if there is none.
local function dt_of(made)
  for i, item in ipairs(made.wanted) do
    if item.key == "dt" then
      return i - 1
    end
  end
  return -1
end

-- Lets C run the code without Lua for `runs` runs, possibly in parallel with other systems. `asks`: Lua loads the
-- parameters before each run.
---@param system engine.System
---@param made? table
---@param runs integer
---@param it? table that has deferred exits
local function leave_alone(system, made, runs, it)
  if made and runs > 0 and swaps == 0 and not made.in_turn then
    local dt = dt_of(made)
    made.alone = made.alone or { loop = made.loop, made = made, dt = dt, it = it,
      asks = made.exits ~= nil or #made.checks > 0 or #made.early > 0 or #made.wanted > (dt < 0 and 0 or 1) }
    made.alone.runs, system.alone = runs, made.alone
  end
end

-- Counts the runs made by C as runs of the chosen version, and takes the system back to Lua.
---@param system engine.System
---@param choice table
local function come_back(system, choice)
  if system.alone then
    choice.left, system.alone = choice.left - C.vm_take_native_runs(abi.vm, system.number), nil
  end
end

-- Executes a system's function symbolically and compiles the result. Returns the state to run it, or nil if it is
-- refused (which is recorded) and whether to try again later.
local function read(it, system, form)
  local components, optional = components_of(system.terms)
  local given = system.phase == "demand" and function() return it.arguments end or nil
  local result, why, line, again = symbolic_exec.read(system.declaration[form], form, system.record, components,
    optional, system.of, given)
  if not result then
    refused(system, why, line)
    return nil, again
  end
  return made_of(result, system.name, place(system), system.record)
end

-- Checks the guards and loads the parameters. If that raises an error (a destroyed entity, for example), the rows run
-- in Lua, which reports the error if a row reaches it.
local function prepare(made, dt)
  local good, holds = pcall(made.ask, made, dt)
  return good and holds
end

-- Fetches the values that the function reads before its loop. Rows that run in Lua cannot change them during a run.
local function fetch_early(made)
  for _, item in ipairs(made.early) do
    item.v = item.fetch()
  end
end

-- Prepares a run. Returns true if the code can run.
---@param made table
---@param dt number
---@return boolean
---@return any
local function begin(made, dt)
  return pcall(fetch_early, made) and prepare(made, dt)
end

-- Returns true if the side exits of the next run are deferred.
local function defers(made, are_queued)
  return made.exits ~= nil and C.native_loop_defer(made.loop, are_queued, made.spawns)
end

-- Prepares a run in parallel with other systems. Returns true if the code can run.
---@param system engine.System
---@return boolean
function M.is_prepared(system)
  local alone = system.left_alone
  return alone ~= nil and begin(alone.made, 0) == true and (not alone.made.exits or defers(alone.made, true))
end

-- Runs the deferred side exits of a run made in parallel with other systems.
---@param system engine.System
---@param dt number
function M.run_exits(system, dt)
  local alone = system.left_alone
  local it, exits = alone.it, alone.made.exits
  exits.next = 1
  it.dt, it.exits, it.first = dt, exits, exits.rows[0] + 1
  it.rest(dt)
end

-- Runs the code from row `first` and writes back the loop-carried values. Returns the first row that was not processed.
---@param made table
---@param first integer
---@return integer
local function run_code(made, first)
  local stopped = C.native_loop_run(made.loop, first)
  made.carry(made)
  return stopped
end

-- Returns true if there were so many side exits before this row that LuaJIT runs the remaining rows faster.
local function stops_too_often(stops, row)
  return stops > MIN_STOPS and stops * MIN_BETWEEN_STOPS > row and not eager
end

-- Returns the row of the next deferred side exit, or nil after the last one.
local function next_exit(exits)
  local at = exits.next
  if at < exits.count then
    exits.next = at + 1
    return exits.rows[at] + 1
  end
end

-- Returns the next row after `row` that runs in Lua; the code runs the rows between. Up to `it.till` this is simply the
-- following row. LuaJIT inlines this function into the loop that calls it.
local function go_on(it, count, row)
  if it.exits then
    return next_exit(it.exits)
  elseif row < it.till then
    return row + 1
  elseif row >= count then
    return nil
  end
  local made = it.made
  local holds = prepare(made, it.dt)
  it.stops = it.stops + 1
  if not holds or stops_too_often(it.stops, row) then
    it.made = holds ~= nil and made or nil
    it.till = count
    return row + 1
  end
  local done = run_code(made, row)
  made.stops = made.stops + 1
  it.together = done - row < CLOSE and not eager and math.min(it.together * 2, MAX_AT_ONCE) or 1
  it.till = math.min(done + it.together, count)
  return done < count and done + 1 or nil
end

M.components_of, M.loop_of, M.made_with, M.read_on = components_of, loop_of, made_with, read_on
M.leave_alone, M.come_back, M.begin_run, M.run_code = leave_alone, come_back, begin, run_code

-- Selects the faster of the two versions of a system (Lua and native): both are re-timed periodically, and the faster
-- one makes the runs in between. Both change the world in the same way, so timing affects nothing else.
-- Loops over many rows need fewer samples: LuaJIT has compiled them after the first run.
-- If native code is much slower, four samples suffice (the first one has cold caches), and it is re-timed less often
-- each time.
local SAMPLES, SAMPLES_OF_MANY, MANY_ROWS, BETWEEN, MAX_BETWEEN = 12, 3, 4096, 1000, 100000
local HOPELESS, SAMPLES_OF_THE_HOPELESS = 1.5, 4

---@return table
local function new_choice()
  return { cost = { lua = math.huge, native = math.huge }, way = "native", left = 0, samples = false, between = BETWEEN,
    done = 0 }
end

-- Reads the clock only while sampling: a C call from LuaJIT's interpreter costs as much as a hundred rows.
local function timed(choice, way, count, f, dt)
  if not choice.samples then
    return f(dt)
  end
  local before = C.native_clock_ns()
  f(dt)
  local cost = (C.native_clock_ns() - before) / count
  if cost < choice.cost[way] then
    choice.cost[way] = cost
  end
end

-- For tests of identical results: drops code and switches versions pseudo-randomly. Returns true if this run is Lua's.
local function is_swapped(its, choice, name)
  choice.drawn = (choice.drawn or swaps * 7919 + #name) * 16807 % 2147483647
  for _, it in ipairs(choice.drawn % 16 == 1 and its or {}) do
    it.made, it.readings, it.rests = nil, 0, 0
  end
  return choice.drawn % 3 == 0
end

---@param its table[]
---@param choice table
---@param name string
---@return boolean
function M.is_swapped(its, choice, name)
  return swaps > 0 and is_swapped(its, choice, name)
end
M.new_choice = new_choice

-- LuaJIT compiles the path of a side exit only after several hundred rows have taken it. Until then samples do not
-- represent the cost of the native version.
local STOPS_UNTIL_WARM, MAX_COLD_RUNS = 400, 40

local function is_cold(choice, its)
  if not (choice.samples and choice.way == "native") then
    return false
  end
  local any = false
  for _, it in ipairs(its) do
    local made = it.made
    if made and made.leaves and made.stops < STOPS_UNTIL_WARM and made.cold_runs < MAX_COLD_RUNS then
      made.cold_runs, any = made.cold_runs + 1, true
    end
  end
  if any then
    choice.left, choice.done, choice.cost.native = SAMPLES_OF_MANY, 0, math.huge
  end
  return any
end

-- Returns the version for the next run, over `count` rows.
local function next_way(choice, count, its)
  if is_cold(choice, its) then
    return "native"
  end
  local samples = count >= MANY_ROWS and SAMPLES_OF_MANY or SAMPLES
  choice.left, choice.done = choice.left - 1, choice.done + 1
  if choice.samples and choice.way == "native" and choice.done >= SAMPLES_OF_THE_HOPELESS
    and choice.cost.native > HOPELESS * choice.cost.lua then
    choice.left = 0
  end
  if choice.left > 0 then
    return choice.way
  elseif choice.samples and choice.way == "lua" then
    choice.way, choice.left, choice.done = "native", samples, 0
    choice.cost.native = math.huge
  elseif choice.samples then
    choice.way = choice.cost.native <= choice.cost.lua and "native" or "lua"
    choice.between = choice.way == "native" and BETWEEN or math.min(2 * choice.between, MAX_BETWEEN)
    choice.samples, choice.left = false, choice.between
  else
    choice.samples, choice.left = true, samples
    choice.way, choice.cost.lua = "lua", math.huge
  end
  return choice.way
end

-- --- loops of a function, compiled separately

-- Adds the symbolic values of a component's columns to `known`. Returns them by name.
local function columns_of(known, record, term, columns, is_far)
  local children, words = {}, "q." .. term.name
  for field, v in pairs(proxies.contents(columns)) do
    local vector = type(v) == "table" and proxies.contents(v)
    local item = { kind = not vector and "column" or is_far and "far" or "vector", component = term.name, name = field,
      words = words .. "." .. field, record = record, is_far = is_far, children = {} }
    for _, axis in ipairs { "x", "y", "z", "w" } do
      if vector and rawget(vector, axis) then
        item.children[axis] = { kind = "column", component = term.name, name = field .. "." .. axis,
          words = words .. "." .. field .. "." .. axis, record = record, is_far = is_far }
        known[vector[axis]] = item.children[axis]
      end
    end
    known[v], children[field] = item, item
  end
  return children
end

-- Adds the symbolic values of a query's tables and columns, which a script may hold in locals. `is_far`: the query is
-- not the one whose rows the loop iterates over.
local function parts_of(known, record, is_far)
  local inner, view = record.inner, { kind = is_far and "far" or "view", words = "q", record = record, children = {} }
  known[record.view] = view
  if not is_far then
    known[inner.entity] = { kind = "entities", words = "q.entity" }
  end
  local has = not is_far and rawget(inner, "has")
  if has then
    known[has] = { kind = "presences", words = "q.has" }
  end
  for _, term in ipairs(record.terms) do
    local columns = term.role == "with" and rawget(inner, term.name)
    if columns then
      local item = { kind = is_far and "far" or "component", name = term.name, words = "q." .. term.name,
        record = record, children = columns_of(known, record, term, columns, is_far) }
      known[columns], view.children[term.name] = item, item
    elseif has and term.role ~= "without" then
      known[proxies.contents(has)[term.name]] = { kind = "presence", component = term.name,
        words = "q.has." .. term.name }
    end
  end
end

-- Adds the tables returned by world.lookup and their columns, which a script may hold in locals from before a loop.
local function add_lookups(known)
  for name, asked in pairs(component.by_name) do
    local view = asked.kind == "component" and rawget(component.lookup, name) or nil
    local words = ("world.lookup(%q)"):format(name)
    for field, v in pairs(view and proxies.contents(view) or {}) do
      known[v] = { kind = proxies.contents(v) and "lookup_part" or "lookup_field", component = name, name = field,
        words = words .. "." .. field }
    end
    if view then
      known[view] = { kind = "lookup", component = name, words = words }
    end
  end
end

---@param records engine.Query[]
---@param record engine.Query
---@return table<any, table>
local function known_parts(records, record)
  local known = {}
  add_lookups(known)
  for i, one in ipairs(records) do
    one.number = i
    parts_of(known, one, one ~= record)
  end
  return known
end

-- Returns the query that a loop iterates over.
---@param records engine.Query[]
---@param loop engine.Loop
---@param locals any[]
---@return engine.Query?
local function record_of(records, loop, locals)
  local good, view = pcall(function()
    local v = locals[loop.root + 1]
    for _, name in ipairs(loop.names) do
      v = v[name]
    end
    return v
  end)
  for _, record in ipairs(records) do
    if good and record.view == view then
      return record
    end
  end
end

M.known_parts, M.record_of = known_parts, record_of

local function read_loop(it)
  it.readings = it.readings + 1
  local record = record_of(it.records, it.loop, it.locals)
  local line = util.funcinfo(it.update, it.loop.head).currentline
  if not record then
    refuse_at(it.name, ("%s:%d"):format(it.file, line), "its loop is not over a query of its system")
    it.readings = MAX_READINGS
    return
  end
  local components, optional = components_of(record.terms)
  local result, why, at, again = symbolic_exec.read_loop(it.update, it.loop, it.locals, it.names, components, optional,
    known_parts(it.records, record), it.steps)
  it.made = result and made_of(result, it.name, ("%s:%d"):format(it.file, line), record)
  if not result then
    refuse_at(it.name, ("%s:%d"):format(it.file, at or line), why)
  elseif it.made and not it.made.in_turn then
    C.vm_runs_alone(abi.vm, it.name, ("%s:%d: code around the loop runs in Lua"):format(it.file, line))
  end
  it.readings, it.rests = (it.made or again) and it.readings or MAX_READINGS, again and UNTIL_AGAIN or 0
end

-- Returns true if Lua runs all rows of the run that begins. Otherwise the code is ready to run.
local function is_all_for_lua(it, count)
  if is_to_be_read(it, count) then
    read_on(it, read_loop)
  end
  local made = it.made
  if not made or made.query.count ~= count or not is_ready(made) then
    return true
  end
  local holds = prepare(made, it.dt)
  it.made = holds ~= nil and made or nil
  return not holds
end

-- Begins a run of a loop. Returns its first row that runs in Lua.
local function first_row(it, count)
  it.dt, it.stops, it.together, it.till, it.exits = it.locals[2], 0, 1, count, nil
  if count == 0 then
    return nil
  elseif is_all_for_lua(it, count) then
    return 1
  end
  local made = it.made
  local is_deferred = defers(made, commands.are_queued())
  local done = run_code(made, 0)
  if is_deferred then
    it.exits, made.stops = made.exits, made.stops + made.exits.count
  end
  it.till = math.min(done + 1, count)
  return done < count and done + 1 or nil
end

-- Returns the next row that runs in Lua, for a stepped loop (its start or its step is not 1).
local function next_stepped(it, count, row, begins)
  it.dt = it.locals[2]
  if begins then
    it.stops, it.by_lua = 0, is_all_for_lua(it, count)
  elseif not it.by_lua then
    local holds = prepare(it.made, it.dt)
    it.stops = it.stops + 1
    it.by_lua = not holds or stops_too_often(it.stops, row)
    it.made = holds ~= nil and it.made or nil
  end
  if it.by_lua then
    return begins and row + 1 or row + it.steps.step
  end
  defers(it.made, false)
  local done = run_code(it.made, begins and 0 or row) -- rows before the loop's start are inactive
  it.made.stops = it.made.stops + 1
  return done < count and done + 1 or nil
end

-- Copies the locals from before a loop of the rewritten function to `locals` and `names`; give_locals writes the
-- loop-carried ones back.
---@param it table
---@param depth integer
local function take_locals(it, depth)
  for n = 1, it.loop.base do
    it.names[n], it.locals[n] = debug.getlocal(depth + 1, n)
  end
end

---@param it table
---@param depth integer
local function give_locals(it, depth)
  for _, item in ipairs(it.made and it.made.carried or {}) do
    if item.slot then
      debug.setlocal(depth + 1, item.slot, it.locals[item.slot])
    end
  end
end

M.take_locals, M.give_locals = take_locals, give_locals

-- Returns true if the loop cannot change the locals from before it, so that they are read only once.
local function is_still(update, loop)
  for pc = 1, util.funcinfo(update).bytecodes - 1 do
    if bytecode.instruction(update, pc) == "FNEW" then -- a closure may capture one of them
      return false
    end
    for slot = 0, pc >= loop.first and pc < loop.last and loop.base - 1 or -1 do
      if bytecode.writes(update, pc, slot) then
        return false
      end
    end
  end
  return true
end

-- Returns the iterator of a rewritten loop. LuaJIT does not compile a function that reads its caller's locals: if they
-- cannot change, or while Lua runs consecutive rows, a simpler function replaces the iterator.
local function ask_of(it)
  local is_plain, find_next = is_still(it.update, it.loop), nil
  local function next_one(count, row)
    if is_plain or it.exits then
      return go_on(it, count, row)
    elseif row < it.till or row >= count then
      return row < count and row + 1 or nil
    end
    return find_next(count, row) -- a tail call, so that its caller is the loop's function
  end
  function find_next(count, row)
    take_locals(it, 2)
    local wanted = (row == 0 and first_row or go_on)(it, count, row)
    give_locals(it, 2)
    debug.setlocal(2, it.loop.base + 1, (is_plain or it.exits or it.till > (wanted or 0)) and next_one or find_next)
    return wanted
  end
  require("jit").off(find_next)
  return find_next
end

local function number_of_loop(v, what)
  return tonumber(v) or error(("'for' %s must be a number"):format(what), 3)
end

local function goes_on(row, count, step)
  if step > 0 then
    return row <= count and row or nil
  end
  return row >= count and row or nil
end

-- Returns the iterator of a rewritten stepped loop (its start or its step is not 1).
local function ask_of_stepped(it)
  local loop, steps = it.loop, it.steps
  local function find_next(count, row)
    take_locals(it, 2)
    local wanted = next_stepped(it, count, row, false)
    give_locals(it, 2)
    return wanted and goes_on(wanted, count, steps.step)
  end
  local function next_one(count, row)
    if it.by_lua then
      return goes_on(row + steps.step, count, steps.step)
    end
    return find_next(count, row)
  end
  local function find_first(start, step)
    take_locals(it, 2)
    local first, by = number_of_loop(start, "initial value"), number_of_loop(step, "step")
    local rows = it.locals[loop.root + 1]
    for _, name in ipairs(loop.names) do
      rows = rows[name]
    end
    local count = rows.count
    debug.setlocal(2, loop.base + 1, next_one)
    debug.setlocal(2, loop.base + 2, count)
    steps.first, steps.step = first, by
    if first < 1 or first % 1 ~= 0 or by < 1 or by % 1 ~= 0 or first > count then
      it.by_lua = true
      return goes_on(first, count, by)
    end
    local wanted = next_stepped(it, count, first - 1, true)
    give_locals(it, 2)
    return wanted
  end
  require("jit").off(find_next)
  require("jit").off(find_first)
  return find_first
end

-- Rewrites the loops of a system's function to run native code where they can be compiled. Returns the copy and the
-- loops.
local function with_loops(system, update, records)
  local its, asks, found = {}, {}, loop_rewrite.find(update)
  for i, loop in ipairs(found) do
    its[i] = { name = i == 1 and system.name or ("%s, loop %d"):format(system.name, i), file = system.at.file,
      loop = loop, update = update, records = records, locals = {}, names = {}, readings = 0, rests = 0, by_lua = true,
      till = 0, stops = 0, together = 1, steps = { first = 1, step = 1 } }
    asks[i] = (loop.stepped and ask_of_stepped or ask_of)(its[i])
  end
  local copy = #its > 0 and loop_rewrite.copy(update, found, asks) or nil
  return copy, its
end

-- Returns the function that runs a system's side exits in Lua, iterating over their rows only; for an `update` it is a
-- rewritten copy. Returns nil if the function cannot be rewritten.
local function rest_of(it, system)
  local update, made = system.declaration.update, it.made
  local function next_one(count, row)
    if row == 0 then
      return it.first
    end
    return go_on(it, count, row)
  end
  if not update then
    return function(dt) it.by_asking(dt, next_one, it.arguments) end
  end
  local copy, view = loop_rewrite.copy(update, { made.loop_at }, { next_one }), system.record.view
  return copy and function(dt) copy(view, dt, it.arguments) end
end

-- Returns the function that runs a system's rows natively, and its side exits in Lua.
local function natively_of(it, system, body)
  local query = system.record.query
  return function(dt)
    local made = it.made
    local holds = begin(made, dt)
    if not holds then
      it.made = holds ~= nil and made or nil
      return body(dt, it.arguments)
    end
    local is_deferred = defers(made, commands.are_queued())
    local done = run_code(made, 0)
    it.exits = is_deferred and made.exits or nil
    if done < query.count then
      made.stops = made.stops + (is_deferred and made.exits.count or 1)
      it.dt, it.first, it.till, it.stops, it.together = dt, done + 1, done + 1, 1, 1
      it.rest(dt)
    end
  end
end

-- Returns the function that runs a system from now on, in Lua or natively. `body` runs it in Lua; `by_asking(dt, ask)`
-- runs an `each` for the rows that the iterator `ask(count, row)` returns.
---@param system engine.System
---@param body fun(dt: number, arguments: table?)
---@param by_asking? fun(dt: number, ask: (fun(count: integer, row: integer): integer?), arguments: table?)
---@return fun(dt: number, arguments: table?)
function M.body(system, body, by_asking)
  if M.stays(system) then
    return body
  end
  local it, choice, query = { readings = 0, rests = 0, by_asking = by_asking }, new_choice(), system.record.query
  local its, natively = { it }, natively_of(it, system, body)
  local function read_due() M.read_due(it, system, body) end
  refused(system, ("it has not had %d rows at once"):format(MIN_ROWS))
  local function in_lua(dt) body(dt, it.arguments) end
  return function(dt, arguments)
    local count = query.count
    it.arguments = arguments
    if it.loopwise then
      return it.loopwise(dt, arguments)
    end
    if is_to_be_read(it, count) then
      read_on(it, read_due)
    end
    local swapped = swaps > 0 and is_swapped(its, choice, system.name)
    come_back(system, choice)
    if swapped or not is_ready(it.made) then
      in_lua(dt)
    elseif eager then
      natively(dt)
      leave_alone(system, it.made, RUNS_WHERE_EAGER, it)
    elseif count < MIN_ROWS then
      in_lua(dt)
    elseif next_way(choice, count, its) == "native" then
      timed(choice, "native", count, natively, dt)
      leave_alone(system, it.made, choice.samples and 0 or choice.left - 1, it)
    else
      timed(choice, "lua", count, in_lua, dt)
    end
  end
end

-- Returns the reason why none of the function's loops is a loop over rows.
---@param update function
---@return string
function M.lacks_loop(update)
  for pc = 1, util.funcinfo(update).bytecodes - 1 do
    local op = bytecode.instruction(update, pc)
    if op == "FORI" or op == "JFORI" then
      return "its loop is not for i = 1, q.count do"
    end
  end
  return "it has no loop for i = 1, q.count do"
end

-- Compiles a system's function as a whole, or if that is refused, each loop separately.
function M.read_due(it, system, body)
  local form = system.declaration.update and "update" or "each"
  it.readings = it.readings + 1
  local made, again = read(it, system, form)
  it.made = made
  it.rest = made and made.leaves and rest_of(it, system)
  if it.rest == nil then
    it.made = nil
  end
  it.readings, it.rests = (it.made or again) and it.readings or MAX_READINGS, again and UNTIL_AGAIN or 0
  if not it.made and form == "update" then
    it.loopwise = M.loopwise(system, body, system.declaration.update, system.record.view, { system.record })
    refused(system, it.loopwise and ("it has not had %d rows at once"):format(MIN_ROWS)
      or M.lacks_loop(system.declaration.update))
  end
end

-- Returns true if a system is never compiled.
---@param system engine.System
---@return boolean
function M.stays(system)
  local why = level > 0 and unfit(system)
  if why and not system.name:find("^shoal%.") then
    refused(system, why)
  end
  return level == 0 or why ~= nil and why ~= false
end

local function most_rows(records)
  local most = 0
  for _, record in ipairs(records) do
    most = math.max(most, record.query.count)
  end
  return most
end

-- Returns the function that runs a system with several loops, or with code around its loop: a copy that runs the rows
-- of each loop natively. Returns nil if there is no loop over rows.
---@param system engine.System
---@param body fun(dt: number, arguments: table?)
---@param update function
---@param view any argument of the function
---@param records engine.Query[]
---@return (fun(dt: number, arguments: table?))?
function M.loopwise(system, body, update, view, records)
  local copy, its = with_loops(system, update, records)
  if not copy then
    return nil
  end
  local choice, given = new_choice(), nil
  local function natively(dt)
    copy(view, dt, given)
  end
  local function in_lua(dt)
    body(dt, given)
  end
  local function is_any(of)
    for _, it in ipairs(its) do
      if of(it) then
        return true
      end
    end
    return false
  end
  local function waits(it) -- true if its loop is still to be compiled
    return not it.made and (it.readings < MAX_READINGS or is_read(it))
  end
  local function has_code(it)
    return is_ready(it.made)
  end
  return function(dt, arguments)
    local count = most_rows(records)
    given = arguments
    local worth = eager or count >= MIN_ROWS
    local ready, swapped = worth and is_any(has_code), swaps > 0 and is_swapped(its, choice, system.name)
    if not swapped and worth and (eager and ready or is_any(waits)) then
      natively(dt)
    elseif swapped or not ready then
      in_lua(dt)
    elseif next_way(choice, count, its) == "native" then
      timed(choice, "native", count, natively, dt)
    else
      timed(choice, "lua", count, in_lua, dt)
    end
  end
end

-- Returns the function that runs a system with several queries, natively where possible.
---@param system engine.System
---@param body fun(dt: number, arguments: table?)
---@return fun(dt: number, arguments: table?)
function M.body_of_several(system, body)
  if M.stays(system) then
    return body
  end
  local found = M.loopwise(system, body, system.declaration.update, system.views, system.records)
  C.native_set_refused(set, system.name, place(system), found
    and ("it has not had %d rows at once"):format(MIN_ROWS) or M.lacks_loop(system.declaration.update))
  return found or body
end

return M
