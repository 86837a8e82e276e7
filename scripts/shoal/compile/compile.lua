-- Systems as native code: what a system's function does to a row is read from its bytecode (compile/symbolic_exec.lua),
-- written as text for LLVM (compile/emit.lua), compiled on a thread of its own, and run in place of Lua from the first
-- run on in which it is there (engine/native). The bits are the same, so when that is shows in nothing but the time.
--
-- Each run asks first whether what the code was made for still holds: locals of the file, tables of constants. Rows
-- that the code does not do are done by Lua, in their turn.
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

local MIN_ROWS = 256  -- fewer are not worth compiling for
local MAX_READINGS = 8 -- of a system whose constants change
local UNTIL_AGAIN = 30  -- runs, where something was not there when it was read
local MAX_AT_ONCE = 64 -- rows that Lua does without asking
local CLOSE = 2         -- so near to each other they are, then: one behind the other
local MIN_STOPS, MIN_BETWEEN_STOPS = 16, 4 -- of a run in which the code goes on; and the rows between them

local RUNS_WHERE_EAGER = 3 -- of code without Lua, and then one with it

local TURN_NS = 450000  -- of reading, in a tick
local MAX_WAITING = 1000 -- others that ask, until a reading is given up whose system does not run any more

local IN_ORDER, APART, FREE = 0, 1, 2 -- native_rows_t

local set, level, eager ---@type ffi.cdata*, integer, boolean
local swaps ---@type integer
local reading ---@type { it: table, thread: thread, waiting: integer, turns: integer }?
local marked = C.world_tracks_touched(abi.world)

-- For the systems of this VM, before any of them is bound.
function M.begin()
  reading = nil
  set = C.vm_begin_native(abi.vm)
  level = bytecode.is_known and C.native_set_level(set) or 0
  eager, swaps = C.native_set_waits(set), C.native_set_swaps(set)
end

-- --- for bodies that are compiled as a whole (compile/whole_body.lua)

---@return integer level codegen_level_t, 0: nothing is compiled
function M.level()
  return level
end

-- Do systems wait for their code?
---@return boolean
function M.is_eager()
  return eager
end

-- Is what code writes marked?
---@return boolean
function M.is_marked()
  return marked
end

-- The reading that goes on over several ticks begins again: another system is read.
function M.drop_reading()
  reading = nil
end

local function place(system)
  local f = system.declaration.update or system.declaration.each
  return ("%s:%d"):format(system.at.file, debug.getinfo(f, "S").linedefined)
end

-- What is refused before a system runs: → why
local function unfit(system)
  if system.name:find("^shoal%.") then
    return "it is the engine's own"
  elseif system.phase == "render" then
    return "it draws"
  end
end

-- → those that every row has, and the names of those that it may have
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

-- Records why a system, or one of its loops, is not native, and so runs alone.
local function refuse_at(name, at, why)
  C.native_set_refused(set, name, at, why)
  C.vm_runs_alone(abi.vm, name, at .. ": " .. why:gsub("^it ", ""))
end

local function refused(system, why, line)
  refuse_at(system.name, line and ("%s:%d"):format(system.at.file, line) or place(system), why)
end

-- Why a system whose rows are done by code does not run beside others: its rows are done in order, or some in Lua.
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

-- Where a column that is written is read of an entity as well, which may be one of the rows: it is to be none.
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

-- What holds for rows of several queries, or of one and an entity, is asked before each run.
local function add_checks(record, result)
  add_strangers(record.terms, result)
  for _, other in pairs(result.apart) do
    result.checks[#result.checks + 1] = { v = true, fetch = function()
      return C.native_apart(record.query, other.query)
    end }
  end
end

-- Deferred side exits: what they use besides what the code uses, and what must hold for them.
-- → false if there is too much of it
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

-- What goes from row to row, with the numbers of its parameters: { put, kind, at, noted }.
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

-- Is its code there? Then it stays so.
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

-- What is run once is not worth traces: with those that LuaJIT makes of it reading takes three times as long.
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

-- Goes on with what reads the function of `it`, for one turn: one is read at a time. What is found in one tick and is
-- otherwise in the next is asked again before each run, as ever.
---@param it table what is known of the function
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

-- What the loop asks of other entities, and what its parameters come from. → false when it is refused
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

-- The loop of what was read, with its columns, and the numbers of these; nil when it is refused, which C has noted.
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
    C.vm_loop_asks_tiles(loop)
  end
  return loop, slot, parameters
end

-- What is asked before each run of a loop, and what comes back behind it.
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

-- What rows have to do with each other (native_rows_t).
---@param result engine.front.Result
---@return integer
function M.order_of(result)
  if #result.carried > 0 or #result.writes > 0 or result.asks_tiles == true then
    return IN_ORDER
  end
  return (#result.why > 0 or result.numbered == true) and APART or FREE
end
M.FREE, M.say_in_turn = FREE, say_in_turn

-- Side exits that run after all other rows; nil where they cannot. A loop without any has none to run.
local function exits_of(loop, result, record)
  if ir.is_const(result.stops, false) then
    return C.native_loop_defers(loop, false)
  elseif result.deferred and add_deferred(loop, result, record) then
    return C.native_loop_defers(loop, result.deferred.commands.changes)
  end
end

-- What is needed to run what was read; nil when it is refused, which C has noted.
local function made_of(result, name, at, record)
  local loop, slot, parameters = loop_of(result, name, at, record)
  if not loop then
    return nil
  end
  local code, at_once = emit.text(result, slot, level, marked)
  ir.pause() -- to look into the cache takes up to half a millisecond
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

-- The number of the parameter that is the tick's length, -1 for none.
local function dt_of(made)
  for i, item in ipairs(made.wanted) do
    if item.key == "dt" then
      return i - 1
    end
  end
  return -1
end

-- For so many runs the code does all rows: C runs it by itself, or beside other systems. `asks`: Lua finds its
-- parameters before.
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

-- Those that it did count as runs that were chosen.
---@param system engine.System
---@param choice table
local function come_back(system, choice)
  if system.alone then
    choice.left, system.alone = choice.left - C.vm_take_runs_by_itself(abi.vm, system.number), nil
  end
end

-- → what is needed to run it; nil when it is refused, which is noted, and whether to ask again
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

-- What cannot be asked (of an entity that is gone, say) is Lua's to complain about, where it comes to that.
local function prepare(made, dt)
  local good, holds = pcall(made.ask, made, dt)
  return good and holds
end

-- What a function finds before its loop stays what it is, whatever rows do that Lua does.
local function fetch_early(made)
  for _, item in ipairs(made.early) do
    item.v = item.fetch()
  end
end

-- Before a run.
---@param made table
---@param dt number
---@return boolean
---@return any
local function begin(made, dt)
  return pcall(fetch_early, made) and prepare(made, dt)
end

-- Are the side exits of the run that follows deferred?
local function defers(made, are_queued)
  return made.exits ~= nil and C.native_loop_defer(made.loop, are_queued, made.spawns)
end

-- The same where the run is one beside other systems.
---@param system engine.System
---@return boolean
function M.is_prepared(system)
  local alone = system.left_alone
  return alone ~= nil and begin(alone.made, 0) == true and (not alone.made.exits or defers(alone.made, true))
end

-- Runs the deferred exits of such a run.
---@param system engine.System
---@param dt number
function M.run_exits(system, dt)
  local alone = system.left_alone
  local it, exits = alone.it, alone.made.exits
  exits.next = 1
  it.dt, it.exits, it.first = dt, exits, exits.rows[0] + 1
  it.rest(dt)
end

-- Runs the code from a row on, and gives back what goes from row to row. → the first row that is not done
---@param made table
---@param first integer
---@return integer
local function run_code(made, first)
  local stopped = C.native_loop_run(made.loop, first)
  made.carry(made)
  return stopped
end

-- Has the code stopped so often before this row that LuaJIT is better off with the rest of them?
local function stops_too_often(stops, row)
  return stops > MIN_STOPS and stops * MIN_BETWEEN_STOPS > row and not eager
end

-- The next deferred exit; nil after the last one.
local function next_exit(exits)
  local at = exits.next
  if at < exits.count then
    exits.next = at + 1
    return exits.rows[at] + 1
  end
end

-- Which row of a loop Lua does behind `row`: the code does those between. LuaJIT compiles it with the loop that asks;
-- up to `it.till` it is the next one.
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

-- Which of two ways a system takes, by what they cost: each is timed anew from time to time, and the faster one has the
-- runs between. Both do the same to the world, so what the clock says shows in nothing else.
-- LuaJIT has compiled a loop over many rows behind the first run.
-- Where the code is much slower, four samples of it are enough (the first one is of cold memory), and it is asked less
-- and less often.
local SAMPLES, SAMPLES_OF_MANY, MANY_ROWS, BETWEEN, MAX_BETWEEN = 12, 3, 4096, 1000, 100000
local HOPELESS, SAMPLES_OF_THE_HOPELESS = 1.5, 4

---@return table
local function new_choice()
  return { cost = { lua = math.huge, native = math.huge }, way = "native", left = 0, samples = false, between = BETWEEN,
    done = 0 }
end

-- A call of C's from the interpreter takes as long as some hundred rows: the clock is read only where it decides.
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

-- For tests: code that comes and goes at any time makes the same world. → is this run Lua's?
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

-- LuaJIT compiles what a row that is left to Lua comes through behind some hundred of them: until then samples say
-- nothing of what the code will cost.
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

-- The way of the next run, over so many rows.
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

-- --- loops of a function, one by one

-- What the columns of a component are, into `known`. → by their names
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

-- What the tables and columns of a query are, by themselves: a script may have them in its locals. `is_far`: it is
-- another one than that whose rows are gone over.
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

-- What world.lookup has given, and its columns: locals from before a loop hold them.
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

-- Which of the system's queries a loop goes over.
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

-- Has Lua all rows of the run that begins? Else its code may be run.
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

-- The first row of a loop that is Lua's.
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

-- The same for each row of a loop that begins elsewhere, or takes every n-th.
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
  local done = run_code(it.made, begins and 0 or row) -- none before the first one is stepped on
  it.made.stops = it.made.stops + 1
  return done < count and done + 1 or nil
end

-- What a loop within the copy finds before it, into `locals` and `names`, and what rows have made of it.
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

-- Does the rest of a function leave the locals of before its loop alone, so that none of them has to be asked for
-- behind a row?
local function is_still(update, loop)
  for pc = 1, util.funcinfo(update).bytecodes - 1 do
    if bytecode.instruction(update, pc) == "FNEW" then -- which may have one of them
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

-- What a loop calls for its next row. What asks for the locals of the function around it LuaJIT does not compile:
-- where they stay what they are, or where Lua has rows one behind the other, something else has the iterator's place.
local function ask_of(it)
  local is_plain, find_next = is_still(it.update, it.loop), nil
  local function next_one(count, row)
    if is_plain or it.exits then
      return go_on(it, count, row)
    elseif row < it.till or row >= count then
      return row < count and row + 1 or nil
    end
    return find_next(count, row) -- in its place: the locals that it reads are those of the loop's function
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

-- The same for a loop that begins elsewhere, or takes every n-th row.
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

-- A system's function with its loops done by code, as far as they can be. → the copy, and the loops
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

-- What does the rows of a system that the code leaves, asking for each: it begins when the first one has come, and of
-- an `update` it is a copy. → nil where there can be none
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

-- What code does of a system's rows, and Lua of those that it leaves.
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

-- `body` is what the system does in Lua; `by_asking(dt, ask)` is an `each` for those rows that `ask(count, row)` gives.
-- → what it does from now on.
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

-- Why none of its loops is one over rows.
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

-- Reads a system's function as a whole, and where that is refused loop by loop.
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

-- Does it stay in LuaJIT, whatever it does?
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

-- What a system with several loops, or one that does more than its loop, does from now on: its function, of which code
-- does the loops' rows; nil where it has no loop over rows.
---@param system engine.System
---@param body fun(dt: number, arguments: table?)
---@param update function
---@param view any what the function gets
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
  local function waits(it) -- to be read
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

-- The same for a system with several queries, from its beginning.
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
