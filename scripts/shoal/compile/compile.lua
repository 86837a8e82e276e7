-- Compiles systems to native code: executes the bytecode of a system's function symbolically
-- (compile/symbolic_exec.lua), emits LLVM IR (compile/emit.lua), compiles it on a background thread, and runs it
-- instead of Lua when it is ready (engine/script/native). Results are bit-identical, so only timing shows the switch.
--
-- Guards are conditions under which the code is valid, checked before each run: for example, the file's locals and
-- constant tables for which the code was compiled must be unchanged. Rows that the code cannot process take a side
-- exit: they run in Lua, either in row order or, if their exits can be deferred, after all other rows. Loop-carried
-- values, such as a sum, are passed from each row to the next.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local interpreted = need("base/interpreted")
local log = need("base/log")
local sorted_keys = need("base/sorted_keys")
local guards = need("compile/guards")
local bytecode = need("compile/bytecode")
local commands = need("compile/commands")
local emit = need("compile/emit")
local few_rows = need("compile/few_rows")
local symbolic_exec = need("compile/symbolic_exec")
local uniform_loops = need("compile/uniform_loops")
local ir = need("compile/ir")
local loop_conditions = need("compile/loop_conditions")
local loop_rewrite = need("compile/loop_rewrite")
local number = need("math/number")
local proxies = need("schema/column")
local components = need("schema/component")
local queries = need("world/query")
local util = require("jit.util")
local C = abi.C

---@class engine.compile
local M = {}

local MAX_ATTEMPTS = 8 -- maximum symbolic executions of a system whose guards keep failing
-- Maximum number of symbolic executions of a loop that may add guards which usually hold, but may fail in later runs.
local MAX_GUARDED_ATTEMPTS = 2
-- Number of runs until the next attempt, after an attempt failed because a value was not available yet.
local RUNS_UNTIL_RETRY = 30
local MAX_LUA_ROWS = 64 -- maximum number of consecutive rows that Lua runs before native code continues
local NEAR_ROWS = 2 -- side exits with fewer than this many native rows between them count as consecutive
-- If a run has had more than MIN_EXITS side exits, and these are on average less than MIN_ROWS_BETWEEN_EXITS rows
-- apart, Lua runs the remaining rows.
local MIN_EXITS, MIN_ROWS_BETWEEN_EXITS = 16, 4

local RUNS_WHERE_EAGER = 3 -- eager mode: number of runs without Lua after each run that calls Lua

local SLICE_NS = 450000  -- time slice of a symbolic execution per tick, in nanoseconds of wall-clock time
local MAX_WAITING = 1000 -- an unfinished symbolic execution is dropped after this many requests by other systems

local IN_ORDER, INDEPENDENT, WITHOUT_EXITS = 0, 1, 2 -- values of native_rows_t

local native_set, level, is_eager ---@type ffi.cdata*, integer, boolean
local swap_seed ---@type integer
local active_execution ---@type { it: table, thread: thread, waiting: integer, turns: integer }?
local is_tracking_writes = C.world_tracks_touched_fields(abi.world)

-- Initializes compilation for this VM. Must be called before the first system is bound.
function M.begin()
  active_execution = nil
  native_set = C.vm_begin_native(abi.vm)
  level = bytecode.is_known and C.native_set_level(native_set) or 0
  number.record_nan = function(text) return C.native_set_add_nan_report(native_set, text) end
  is_eager, swap_seed = C.native_set_waits_for_code(native_set), C.native_set_swap_seed(native_set)
end

-- --- functions for bodies compiled without side exits (compile/whole_body.lua)

-- Returns the instruction set for which systems are compiled.
---@return integer level value of codegen_level_t; 0: nothing is compiled
function M.get_level()
  return level
end

-- Returns true in eager mode, in which systems wait until their code is compiled.
---@return boolean
function M.is_eager()
  return is_eager
end

-- Returns true if native code marks the rows that it writes.
---@return boolean
function M.is_marked()
  return is_tracking_writes
end

-- Drops the unfinished symbolic execution: symbolic_exec.lua has only one state, which the caller is about to use.
function M.cancel_execution()
  active_execution = nil
end

local function format_location(system)
  local f = system.declaration.update or system.declaration.each
  return ("%s:%d"):format(system.at.file, debug.getinfo(f, "S").linedefined)
end

-- Returns the reason why a system is never compiled; nil if it may be compiled.
local function get_reason_not_compiled(system)
  if system.name:find("^shoal%.") then
    return "an engine system"
  elseif system.phase == "render" then
    return "a render system"
  end
end

-- Splits the terms of a query into required and optional components.
---@param terms engine.Term[]
---@return table<string, engine.Component> components that every row has
---@return table<string, boolean> components that rows may have
local function list_components(terms)
  local out, optional = {}, {}
  for _, term in ipairs(terms) do
    if term.role == "with" then
      out[term.name] = components.by_name[term.name]
    elseif term.role ~= "without" then
      optional[term.name] = true
    end
  end
  return out, optional
end

-- Records why a system, or one of its loops, is not compiled. This also means that the system cannot run in parallel
-- with other systems.
local function record_reason_at(name, location, reason)
  C.native_set_refuse_system(native_set, name, location, reason)
  C.vm_set_alone_reason(abi.vm, name, location .. ": " .. reason)
end

local function record_refusal(system, reason, line)
  record_reason_at(system.name, line and ("%s:%d"):format(system.at.file, line) or format_location(system), reason)
end

-- Returns the location of a side exit: "systems/move.lua:12". `file`: file of the body.
local function format_exit_location(file, result, reason)
  local location = result.exit_locations[reason]
  return type(location) == "string" and location or ("%s:%d"):format(file, location)
end

-- Records why a compiled system cannot run in parallel with other systems: its rows must run in order, use their row
-- number, or may run in Lua.
---@param name string the system's name
---@param file string
---@param location string
---@param result engine.symbolic_exec.Result
local function record_sequential(name, file, location, result)
  local label = result.exit_reasons[1]
  if label then
    location, label = format_exit_location(file, result, label), "some rows may run in Lua: " .. label
  else
    label = M.enters_states(result) and "rows enter states" or #result.carried > 0 and "a loop-carried value"
      or #result.writes > 0 and "rows write to other rows"
      or result.uses_tiles and "rows read tiles" or "rows use the row number"
  end
  C.vm_set_alone_reason(abi.vm, name, location .. ": " .. label)
end

local function add_slot(loop, key, column)
  if key == "entity" then
    return C.native_loop_add_entities(loop)
  elseif column.of then
    return C.native_loop_add_query_column(loop, column.of.query, components.by_name[column.component].id,
      column.field.column, column.rows == true)
  elseif column.any_row then
    return C.native_loop_add_component_column(loop, components.by_name[column.component].id, column.field.column,
      column.written == true)
  elseif column.presence then
    return C.native_loop_add_presence(loop, components.by_name[column.component].id)
  end
  return C.native_loop_add_column(loop, components.by_name[column.component].id, column.field.column,
    column.written == true)
end

-- Adds a guard for each column that rows write and that is also read from an entity that is the same for all rows: this
-- entity must not be one of the rows.
local function add_alias_guards(terms, result)
  for key, entity in pairs(result.fixed_entities) do
    local column, any_row = result.columns[key], result.columns["of others " .. key]
    if column and column.written or any_row and any_row.written then
      result.checks[#result.checks + 1] = { v = false, fetch = function()
        local id = handle.get_id(entity.fetch())
        for _, term in ipairs(terms) do
          if term.role == "with" and components.by_name[term.name].find_row(id) < 0 then
            return false
          end
        end
        return true
      end }
    end
  end
end

-- Adds guards against aliasing, in which one row reads a value that another row writes: between several queries, or
-- between a query and an entity that is the same for all rows.
local function add_guards(record, result)
  add_alias_guards(record.terms, result)
  for _, other_query in pairs(result.disjoint) do
    result.checks[#result.checks + 1] = { v = true, fetch = function()
      return C.native_are_queries_disjoint(record.query, other_query.query)
    end }
  end
end

-- Adds the requirements of the deferred side exits to the loop and the result, unless the loop already has them:
-- columns, guards, hoisted values, and the components and singletons from which parameters are read. Returns false if a
-- limit is exceeded.
local function add_deferred(loop, result, record)
  local deferred = result.deferred
  add_guards(record, deferred)
  for _, key in ipairs(sorted_keys(deferred.columns)) do
    local column, other_column = deferred.columns[key], result.columns[key]
    local is_new = not other_column or column.written and not other_column.written
    if is_new and column.component and not column.presence and not column.rows
      and not C.native_loop_declare_exit_access(loop, components.by_name[column.component].id, column.field.column,
        column.written == true) then
      return false
    end
  end
  for _, name in ipairs(sorted_keys(deferred.reads)) do
    if not result.reads[name] and not C.native_loop_add_read(loop, components.by_name[name].id) then
      return false
    end
  end
  for _, state_id in ipairs(sorted_keys(deferred.commands.entered_states)) do
    if not C.native_loop_declare_exit_state(loop, state_id) then
      return false
    end
  end
  for _, list in ipairs { "checks", "hoisted" } do
    for _, item in ipairs(deferred[list]) do
      table.insert(result[list], item)
    end
  end
  return true
end

-- Returns the loop-carried values to write back after a run: { put, kind, at, slot, noted }. `at`: index of the value's
-- parameter; `noted`: index of the parameter that is nonzero if a row has written the value; nil if always written.
local function list_carried(result)
  local index_by_key, out = {}, {}
  for i, item in ipairs(result.parameters) do
    index_by_key[item.key] = i - 1
  end
  for _, item in ipairs(result.carried) do
    if item.put then
      out[#out + 1] = { put = item.put, kind = item.kind, at = index_by_key[item.key], slot = item.slot,
        noted = index_by_key["written " .. item.key] }
    end
  end
  return out
end

-- Drops the code of a unit (a system's function or one of its loops) after one of its guards has failed. If the unit
-- will not be compiled again, records the reason.
local function drop_code(unit)
  unit.compiled = nil
  if unit.attempts >= MAX_ATTEMPTS and unit.location then
    record_reason_at(unit.name, unit.location,
      ("values from outside the loop keep changing (compiled %d times)"):format(MAX_ATTEMPTS))
  end
end

local function is_executing(unit)
  return active_execution ~= nil and active_execution.unit == unit
end

local function should_execute(unit, count)
  unit.retry_in = unit.retry_in - 1
  local is_large = is_eager or count >= unit.limit.min_rows
  local is_due = unit.retry_in <= 0 and unit.attempts < MAX_ATTEMPTS and is_large
  return not unit.compiled and (is_due or is_executing(unit))
end

-- Returns LLVM's message, as a single line, if it has failed to compile a loop, or "" if it has not failed. Returns nil
-- while the code is being compiled; if `waits`, waits until it is compiled.
---@param compiled table
---@param waits? boolean
---@return string?
function M.find_failure(compiled, waits)
  local message = C.native_loop_find_failure(compiled.loop, waits == true)
  if message ~= nil then
    return (abi.ffi.string(message):gsub("%s+", " "))
  end
end

-- Formats the error for a system that must be compiled but that LLVM has failed to compile.
---@param option string the option that requires compilation
---@param failure string
---@return string
function M.format_failure(option, failure)
  return ("%s: %s: this is an error in Shoal, report it with this file"):format(option, failure)
end

-- Logs, once, that LLVM has failed to compile a loop, which therefore stays in LuaJIT. Raises an error instead if the
-- system must be compiled.
local function report_failure(compiled)
  local failure = not compiled.is_checked and M.find_failure(compiled) or nil
  compiled.is_checked = compiled.is_checked or failure ~= nil
  if failure == nil or failure == "" then
    return
  elseif compiled.is_required then
    error(compiled.location .. ": " .. M.format_failure('compile = "required"', failure), 0)
  end
  log.warn("%s: %s: the system runs in LuaJIT, with the same results; this is an error in Shoal, report it with this "
    .. "file", compiled.location, failure)
end

-- Returns true if the code of a loop is ready. Caches true, because ready code stays ready.
local function is_ready(compiled)
  if compiled and not compiled.is_ready then
    compiled.is_ready = C.native_loop_is_ready(compiled.loop)
    if not compiled.is_ready then
      report_failure(compiled)
    end
  end
  return compiled and compiled.is_ready
end

local function record_ticks(unit, ticks)
  if unit.compiled then
    C.native_loop_record_analysis_ticks(unit.compiled.loop, ticks)
  end
end

-- Resumes a symbolic execution with the JIT compiler off: the code runs only once, and recording traces would take
-- three times as long.
local function resume_without_jit(thread, unit)
  local jit = require("jit")
  local was_enabled = jit.status()
  jit.off()
  local ok, problem = coroutine.resume(thread, unit)
  if was_enabled then
    jit.on()
  end
  return ok, problem
end

-- Continues the symbolic execution of `unit` for one time slice, or completes it in eager mode. Only one symbolic
-- execution is in progress at a time. If values change between slices, the guards fail before the next run.
---@param unit table compilation state of the function
---@param execute_and_compile fun(unit: table)
---@return any
local function continue_execution(unit, execute_and_compile)
  local start_processor_ns = C.native_processor_ns()
  if is_eager then
    execute_and_compile(unit)
    C.native_set_record_analysis(native_set, C.native_processor_ns() - start_processor_ns)
    return record_ticks(unit, 1)
  elseif active_execution and active_execution.unit ~= unit then
    active_execution.waiting = active_execution.waiting + 1
    if active_execution.waiting < MAX_WAITING then
      return
    end
    active_execution = nil
  end
  active_execution = active_execution or { unit = unit, thread = coroutine.create(execute_and_compile), ticks = 0 }
  active_execution.waiting, active_execution.ticks = 0, active_execution.ticks + 1
  local start_ns = C.native_clock_ns()
  ir.is_over = function() return C.native_clock_ns() - start_ns > SLICE_NS end
  local ok, problem = resume_without_jit(active_execution.thread, unit)
  ir.is_over = nil
  C.native_set_record_analysis(native_set, C.native_processor_ns() - start_processor_ns)
  if coroutine.status(active_execution.thread) == "dead" then
    record_ticks(unit, active_execution.ticks)
    active_execution = nil
  end
  if not ok then
    error(problem, 0)
  end
end

-- Declares the lookups of entities other than the row's own, and the components from which the parameters are read.
-- Returns false if C rejects one of them.
local function declare_lookups(loop, result)
  for _, name in ipairs(sorted_keys(result.reads)) do
    if not C.native_loop_add_read(loop, components.by_name[name].id) then
      return false
    end
  end
  for _, item in ipairs(result.lookups) do
    local component = item.component and components.by_name[item.component]
    if C.native_loop_add_lookup(loop, item.kind, component and component.id or 0) < 0 then
      return false
    end
  end
  return true
end

-- Records what keeps a loop's machine code from processing all rows in vectors, for --explain and the cockpit.
local function record_limits(loop, result, file)
  local limits, exits = {}, {}
  if result.reason_in_order then
    limits[1] = "one row at a time: " .. result.reason_in_order
      .. (result.line_in_order and (" (%s:%d)"):format(file, result.line_in_order) or "")
  end
  for _, reason in ipairs(result.exit_reasons) do
    exits[#exits + 1] = ("%s (%s)"):format(reason, format_exit_location(file, result, reason))
  end
  if #exits > 0 then
    limits[#limits + 1] = "rows may run in Lua: " .. table.concat(exits, ", ")
      .. symbolic_exec.format_forms(result.exit_reasons, result.exit_locations)
  end
  result.limits = table.concat(limits, "; ")
  C.native_loop_record_limits(loop, result.limits)
end

-- Creates the native loop of a result. Returns the loop, its column indices by key, and the array of its parameters;
-- nil if C rejected the loop (the reason is recorded).
---@param result engine.symbolic_exec.Result
---@param name string the system's name
---@param location string
---@param record engine.Query
---@return any loop
---@return table? slot
---@return table? parameters
local function create_loop(result, name, location, record)
  result.foreign = number.may_plugins_write()
  add_guards(record, result)
  local loop = C.native_loop_create(native_set, name, location, record.query)
  record_limits(loop, result, location:match("^(.*):"))
  local slot = {}
  for _, key in ipairs(sorted_keys(result.columns)) do
    slot[key] = add_slot(loop, key, result.columns[key])
    if slot[key] < 0 then
      return nil
    end
    C.native_loop_set_line(loop, slot[key], result.columns[key].line or 0)
  end
  local parameters = declare_lookups(loop, result) and C.native_loop_parameters(loop, #result.parameters) or nil
  if parameters == nil then
    return nil
  end
  uniform_loops.find_iterations(result, function(parameter, max_stop, step)
    C.native_loop_set_iterations(loop, parameter, max_stop, step)
  end)
  if result.uses_tiles then
    C.vm_loop_use_tiles(loop)
  end
  for _, emission in ipairs(result.emissions) do
    if emission.enters and not C.native_loop_add_entered_state(loop, emission.enters)
      or emission.event and not C.native_loop_add_emission(loop, emission.event.id) then
      return nil
    end
    for _, item in ipairs(emission.fields) do
      if not C.native_loop_add_emitted_column(loop, item.field.column) then
        return nil
      end
    end
  end
  return loop, slot, parameters
end

-- Creates the state to run a loop: its guards, its parameters, and the loop-carried values written back after a run.
-- `is_sequential`: the system cannot run in parallel with other systems.
---@param result engine.symbolic_exec.Result
---@param loop any
---@param parameters table
---@param record engine.Query
---@param is_sequential boolean
---@return table
local function create_state(result, loop, parameters, record, is_sequential)
  local compiled = { loop = loop, parameters = parameters, parameter_list = result.parameters, checks = result.checks,
    unknown = result.unknown, query = record.query, carried = list_carried(result), is_sequential = is_sequential,
    looks_up = result.looks_up, limits = result.limits,
    hoisted = result.hoisted or {}, loop_at = result.loop_at, has_exits = #result.exit_reasons > 0, exit_count = 0,
    cold_runs = 0 }
  compiled.check, compiled.write_back = guards.check_function(compiled), guards.write_back_function(compiled)
  return compiled
end

-- Returns the kind of dependency between rows (native_rows_t).
---@param result engine.symbolic_exec.Result
---@return integer
function M.get_order(result)
  if #result.carried > 0 or #result.writes > 0 or result.uses_tiles == true then
    return IN_ORDER
  end
  local is_query_order_needed = #result.exit_reasons > 0 or result.uses_row_numbers == true or #result.emissions > 0
  return is_query_order_needed and INDEPENDENT or WITHOUT_EXITS
end
M.WITHOUT_EXITS, M.record_sequential = WITHOUT_EXITS, record_sequential

-- Returns true if the machine code lists the rows that enter a state. When the run ends, C adds these changes to the
-- command queue of the running system, so Lua must start the run.
---@param result engine.symbolic_exec.Result
---@return boolean
function M.enters_states(result)
  return #result.emissions > 0 and result.emissions[1].enters ~= nil
end

-- Returns the list in which C stores each run's deferred side exits, for a loop with independent rows (always empty
-- if the loop has no side exits). Returns nil if the side exits must run in row order.
local function allow_deferral(loop, result, record)
  if ir.is_const(result.exit_condition, false) then
    return C.native_loop_allow_deferral(loop, false)
  elseif result.deferred and add_deferred(loop, result, record) then
    return C.native_loop_allow_deferral(loop, result.deferred.commands.changes)
  end
end

local latest_code = {} ---@type table<string, table> the latest code of each system and loop, by its name in `--explain`

-- Starts compiling a result. Returns the state to run it, or nil if C rejected the code (the reason is recorded).
local function compile_result(result, name, location, record)
  local loop, slot, parameters = create_loop(result, name, location, record)
  if not loop then
    return nil
  end
  local code, at_once = emit.generate(result, slot, level, is_tracking_writes)
  ir.pause() -- yields if the time slice is used up: the cache lookup below takes up to 0.5 ms
  local order = M.get_order(result)
  local exits = order == INDEPENDENT and allow_deferral(loop, result, record) or nil
  local is_sequential = order ~= WITHOUT_EXITS and not exits or M.enters_states(result)
  if not C.native_loop_compile(loop, code, #code, at_once, order) then
    return nil
  end
  if is_sequential then
    record_sequential(name, location:match("^(.*):"), location, result)
  end
  local compiled = create_state(result, loop, parameters, record, is_sequential)
  compiled.exits, compiled.spawns = exits, result.deferred and result.deferred.commands.spawns or 0
  compiled.is_emitting, compiled.location = #result.emissions > 0, location
  latest_code[name] = compiled
  return compiled
end

-- Returns true if a system's function, or its first loop, has been compiled to native code, and LuaJIT is not faster.
---@param name string
---@return boolean
function M.runs_natively(name)
  local compiled = latest_code[name]
  return compiled ~= nil and compiled.is_ready == true and not compiled.prefers_lua
end

-- Returns the index of the parameter `dt`, or -1 if the loop has no such parameter.
local function find_dt_parameter(compiled)
  for i, item in ipairs(compiled.parameter_list) do
    if item.key == "dt" then
      return i - 1
    end
  end
  return -1
end

-- Makes C start the next `runs` runs of a system, possibly in parallel with other systems, without calling the system's
-- Lua function. `needs_lua`: before each of these runs, Lua must check the guards and load the parameters
-- (M.is_prepared). Does nothing if the system is sequential.
---@param system engine.System
---@param compiled? table
---@param runs integer
---@param unit? table state of the function, to run its deferred exits
local function run_without_lua(system, compiled, runs, unit)
  if compiled and runs > 0 and swap_seed == 0 and not compiled.is_sequential then
    local dt = find_dt_parameter(compiled)
    compiled.detaching = compiled.detaching or { loop = compiled.loop, compiled = compiled, dt = dt, unit = unit,
      needs_lua = compiled.exits ~= nil or #compiled.checks > 0 or #compiled.hoisted > 0
        or #compiled.parameter_list > (dt < 0 and 0 or 1) }
    compiled.detaching.runs, system.detaching = runs, compiled.detaching
  end
end

-- Subtracts the runs made by C from the remaining runs of the chosen version. After this, Lua starts the system's runs
-- again.
---@param system engine.System
---@param choice table
local function count_detached_runs(system, choice)
  if system.detaching then
    choice.left, system.detaching = choice.left - C.vm_pop_native_runs(abi.vm, system.number), nil
  end
end

-- Executes a system's function symbolically and compiles the result. Returns the state to run the result, or nil (the
-- reason is recorded); true if a later attempt may succeed; and true if the symbolic execution succeeded but C rejected
-- its result.
local function execute_and_compile(unit, system, form)
  local query_components, optional = list_components(system.terms)
  local get_arguments = system.phase == "demand" and function() return unit.arguments end or nil
  local result, reason, line, may_retry = symbolic_exec.execute_function(system.declaration[form], form, system.record,
    query_components, optional, system.of, get_arguments)
  if not result then
    record_refusal(system, reason, line)
    return nil, may_retry
  end
  local compiled = compile_result(result, system.name, format_location(system), system.record)
  if compiled then
    compiled.is_required = system.declaration.compile == "required"
  end
  return compiled, false, compiled == nil
end

-- Compiles the body of a system while the game is loaded. Returns "" on success, or LLVM's message if it fails.
-- Returns nil if compilation is off, or if the body cannot be compiled yet or only loop by loop. The second result is
-- true if C rejected the body.
---@param system engine.System
---@return string? failure
---@return boolean? is_rejected
function M.find_failure_of_body(system)
  if level == 0 or not system.record then
    return nil
  end
  M.cancel_execution()
  local compiled, _, is_rejected = execute_and_compile({}, system, system.declaration.update and "update" or "each")
  return compiled and M.find_failure(compiled, true), is_rejected
end

-- Adds the reason why Lua made a run of a loop to the limits that --explain and the cockpit show. Has an effect only
-- once per loop.
local function add_limit(compiled, limit)
  if not compiled.has_limit then
    compiled.has_limit = true
    C.native_loop_record_limits(compiled.loop, (compiled.limits ~= "" and compiled.limits .. "; " or "") .. limit)
  end
end

-- Records that a run of a stepped loop was made in Lua because of its start, stop or step.
local function record_range(unit)
  local reason = "in some runs, start, stop or step is not a row number"
  if unit.compiled then
    add_limit(unit.compiled, reason)
  elseif not unit.has_left_rows then
    unit.has_left_rows = true
    local line = util.funcinfo(unit.update, unit.loop.head).currentline
    record_reason_at(unit.name, ("%s:%d"):format(unit.file, line), reason)
  end
end

-- Checks the guards and loads the parameters. Returns true if the code can run, nil if a guard fails or a parameter has
-- the wrong type. If a check raises an error (for example, because an entity was destroyed), returns false: the rows
-- then run in Lua, which reports the error if a row reaches it. Also returns false if world.lookup could be given an
-- entity whose spawn is queued.
local function prepare_run(compiled, dt)
  if compiled.looks_up and C.world_has_queued_spawn(abi.world) then
    add_limit(compiled, "world.lookup runs in Lua while a spawn is queued")
    return false
  end
  local ok, passed = pcall(compiled.check, compiled, dt)
  return ok and passed
end

-- Fetches, once per run, the values that the function reads before its loop. Rows that run in Lua may change the
-- sources of these values, but the function would not read them again.
local function fetch_hoisted_values(compiled)
  for _, item in ipairs(compiled.hoisted) do
    item.v = item.fetch()
  end
end

-- Prepares a run. Returns true if the code can run.
---@param compiled table
---@param dt number
---@return boolean
---@return any
local function begin_run(compiled, dt)
  return pcall(fetch_hoisted_values, compiled) and prepare_run(compiled, dt)
end

-- Defers the side exits of the next run if possible. Returns true if they are deferred. `are_queued`: true if commands
-- are currently queued instead of being applied immediately.
local function try_defer_exits(compiled, are_queued)
  return compiled.exits ~= nil and C.native_loop_set_deferral(compiled.loop, are_queued, compiled.spawns)
end

-- Prepares a run in parallel with other systems. Returns true if the code can run and its side exits, if any, are
-- deferred.
---@param system engine.System
---@return boolean
function M.is_prepared(system)
  local compiled = system.detached and system.detached.compiled
  return compiled ~= nil and begin_run(compiled, 0) == true and (not compiled.exits or try_defer_exits(compiled, true))
end

-- Runs the deferred side exits of a run made in parallel with other systems.
---@param system engine.System
---@param dt number
function M.run_exits(system, dt)
  local unit, exits = system.detached.unit, system.detached.compiled.exits
  exits.next = 1
  unit.dt, unit.exits, unit.first = dt, exits, exits.rows[0] + 1
  unit.run_exits_in_lua(dt)
end

-- Runs the code from row `first_row`, counted from 0, and writes back the loop-carried values. Returns the first row
-- that was not processed, or the row count.
---@param compiled table
---@param first_row integer
---@return integer
local function run_code(compiled, first_row)
  local next_row = C.native_loop_run(compiled.loop, first_row)
  compiled.write_back(compiled)
  return next_row
end

-- Like run_code, for a stepped loop over the rows `begin` (inclusive) to `stop` (exclusive), counted from 0. Returns
-- the first row that was not processed, or `stop`.
---@param compiled table
---@param begin integer
---@param first_row integer
---@param stop integer
---@return integer
local function run_range(compiled, begin, first_row, stop)
  local next_row = C.native_loop_run_range(compiled.loop, begin, first_row, stop)
  compiled.write_back(compiled)
  return next_row
end

-- Returns true if so many side exits precede this row that LuaJIT is expected to run the remaining rows faster than
-- native code.
local function has_too_many_exits(exit_count, row)
  return exit_count > MIN_EXITS and exit_count * MIN_ROWS_BETWEEN_EXITS > row and not is_eager
end

-- Returns the row of the next deferred side exit, counted from 1; nil after the last side exit.
local function pop_exit(exits)
  local index = exits.next
  if index < exits.count then
    exits.next = index + 1
    return exits.rows[index] + 1
  end
end

-- Returns the next row after `row` that runs in Lua, counted from 1; native code runs the rows between. Up to row
-- `unit.till`, all rows run in Lua. LuaJIT inlines this function into the loop that calls it.
local function next_lua_row(unit, count, row)
  if unit.exits then
    return pop_exit(unit.exits)
  elseif row < unit.till then
    return row + 1
  elseif row >= count then
    return nil
  end
  local compiled = unit.compiled
  local passed = prepare_run(compiled, unit.dt)
  unit.exit_count = unit.exit_count + 1
  if not passed or has_too_many_exits(unit.exit_count, row) then
    if passed == nil then
      drop_code(unit)
    end
    unit.till = count
    return row + 1
  end
  local next_row = run_code(compiled, row)
  compiled.exit_count = compiled.exit_count + 1
  unit.lua_rows = next_row - row < NEAR_ROWS and not is_eager and math.min(unit.lua_rows * 2, MAX_LUA_ROWS) or 1
  unit.till = math.min(next_row + unit.lua_rows, count)
  return next_row < count and next_row + 1 or nil
end

M.list_components, M.create_loop, M.create_state = list_components, create_loop, create_state
M.continue_execution = continue_execution
M.detach, M.attach, M.begin_run, M.run_code = run_without_lua, count_detached_runs, begin_run, run_code
M.run_range = run_range

-- Parameters for selecting the faster of a system's two versions, Lua and native. Both versions are re-timed
-- periodically (after BETWEEN to MAX_BETWEEN runs), and the faster one is used in between. Both change the world in the
-- same way, so timing affects only speed. Loops over many rows need fewer samples, because LuaJIT has compiled them
-- after the first run. If native code is much slower, four samples suffice (the first one has cold caches), and the
-- number of runs until the next measurement doubles.
local SAMPLES, SAMPLES_OF_MANY, MANY_ROWS, BETWEEN, MAX_BETWEEN = 12, 3, 4096, 1000, 100000
local MUCH_SLOWER, SAMPLES_IF_MUCH_SLOWER = 1.5, 4

-- Returns the state that selects a system's version: the cost per row of each version, in nanoseconds, and the number
-- of runs left until the next decision.
---@return table
local function create_choice()
  return { cost = { lua = math.huge, native = math.huge }, version = "native", left = 0, samples = false,
    between = BETWEEN, done = 0 }
end

-- Runs a version, the function `f`. While sampling, measures its cost per row and keeps the lowest cost. Does not read
-- the clock otherwise: a call to C from LuaJIT's interpreter costs as much as a hundred rows.
local function run_timed(choice, version, count, f, dt)
  if not choice.samples then
    return f(dt)
  end
  local start_ns = C.native_clock_ns()
  f(dt)
  local cost = (C.native_clock_ns() - start_ns) / count
  if cost < choice.cost[version] then
    choice.cost[version] = cost
  end
end

-- Drops code and switches versions pseudo-randomly, for tests which verify that both versions give identical results.
-- Returns true if this run must use Lua.
local function is_swapped(units, choice, name)
  choice.drawn = (choice.drawn or swap_seed * 7919 + #name) * 16807 % 2147483647
  for _, unit in ipairs(choice.drawn % 16 == 1 and units or {}) do
    unit.compiled, unit.attempts, unit.retry_in = nil, 0, 0
  end
  return choice.drawn % 3 == 0
end

-- Returns true if a test mode that switches versions (swap1 to swap9) makes this run use Lua; may also drop the code.
---@param units table[]
---@param choice table
---@param name string
---@return boolean
function M.is_swapped(units, choice, name)
  return swap_seed > 0 and is_swapped(units, choice, name)
end
M.create_choice = create_choice

-- LuaJIT compiles the Lua code for rows with side exits only once several hundred rows have taken one. Until then,
-- samples overestimate the cost of the native version.
local EXITS_UNTIL_WARM, MAX_COLD_RUNS = 400, 40

local function is_cold(choice, units)
  if not (choice.samples and choice.version == "native") then
    return false
  end
  local is_any_cold = false
  for _, unit in ipairs(units) do
    local compiled = unit.compiled
    if compiled and compiled.has_exits and compiled.exit_count < EXITS_UNTIL_WARM
      and compiled.cold_runs < MAX_COLD_RUNS then
      compiled.cold_runs, is_any_cold = compiled.cold_runs + 1, true
    end
  end
  if is_any_cold then
    choice.left, choice.done, choice.cost.native = SAMPLES_OF_MANY, 0, math.huge
  end
  return is_any_cold
end

-- Selects the faster version of each loop: the loops of a rewritten function have costs of their own (`unit.cost`).
-- Returns "native" if machine code is faster for at least one loop, otherwise "lua".
local function record_costs(choice, units)
  local version = "lua"
  for _, unit in ipairs(units) do
    local cost = unit.cost or choice.cost
    unit.prefers_lua = cost.native > cost.lua
    if unit.compiled then
      unit.compiled.prefers_lua = unit.prefers_lua
      C.native_loop_record_costs(unit.compiled.loop, cost.lua, cost.native)
      version = unit.prefers_lua and version or "native"
    end
  end
  return version
end

-- Starts the clock of a rewritten function's loop, if the loop is timed in this run.
local function begin_timing(unit, rows)
  if unit.timed_version then
    unit.start_ns, unit.timed_rows = unit.start_ns or C.native_clock_ns(), unit.timed_rows + rows
  end
end

-- Stops the clock of a loop. Returns nil, so that iterators can return the result.
local function end_timing(unit)
  if unit.start_ns then
    unit.loop_ns, unit.start_ns = unit.loop_ns + C.native_clock_ns() - unit.start_ns, nil
  end
  return nil
end

-- Like run_timed, for a rewritten function with the loops `units`: times each loop alone, because the code around the
-- loops may take most of the time, and its time varies between runs. A loop that is left by `break` is timed until the
-- function returns.
local function run_loops_timed(choice, version, count, units, f, dt)
  if not choice.samples then
    return f(dt)
  end
  for _, unit in ipairs(units) do
    unit.cost = unit.cost or { lua = math.huge, native = math.huge }
    unit.cost[version] = choice.cost[version] < math.huge and unit.cost[version] or math.huge
    unit.timed_version, unit.loop_ns, unit.timed_rows, unit.start_ns = version, 0, 0, nil
  end
  f(dt)
  local cost = 0
  for _, unit in ipairs(units) do
    end_timing(unit)
    unit.timed_version, cost = nil, cost + unit.loop_ns / count
    if unit.timed_rows > 0 then
      unit.cost[version] = math.min(unit.cost[version], unit.loop_ns / unit.timed_rows)
    end
  end
  choice.cost[version] = math.min(choice.cost[version], cost)
end

-- Returns the version, "lua" or "native", for the next run over `count` rows.
local function choose_version(choice, count, units)
  if is_cold(choice, units) then
    return "native"
  end
  local samples = count >= MANY_ROWS and SAMPLES_OF_MANY or SAMPLES
  choice.left, choice.done = choice.left - 1, choice.done + 1
  if choice.samples and choice.version == "native" and choice.done >= SAMPLES_IF_MUCH_SLOWER
    and choice.cost.native > MUCH_SLOWER * choice.cost.lua then
    choice.left = 0
  end
  if choice.left > 0 then
    return choice.version
  elseif choice.samples and choice.version == "lua" then
    choice.version, choice.left, choice.done = "native", samples, 0
    choice.cost.native = math.huge
  elseif choice.samples then
    choice.version = record_costs(choice, units)
    choice.between = choice.version == "native" and BETWEEN or math.min(2 * choice.between, MAX_BETWEEN)
    choice.samples, choice.left = false, choice.between
  else
    choice.samples, choice.left = true, samples
    choice.version, choice.cost.lua = "lua", math.huge
  end
  return choice.version
end

-- --- loops of a function, compiled separately

-- Adds symbolic values to `symbols` for the columns of a component, or of its record `path`. Returns these values by
-- name.
local function add_columns(symbols, record, term, columns, is_other, path)
  local children, label, target = {}, "q." .. term.name, components.by_name[term.name]
  local optional = term.role ~= "with"
  for name, v in pairs(proxies.get_contents(columns)) do
    local field = path and path .. "." .. name or name
    local members, is_record = type(v) == "table" and proxies.get_contents(v), target.records[field] ~= nil
    local vector = not is_record and members
    local item = { kind = target.lists[field] and "list_column" or not members and "column"
      or is_other and "other_query" or is_record and "component" or "vector", component = term.name,
      name = is_record and term.name or field, path = is_record and field or nil,
      label = label .. "." .. field, record = record, is_other = is_other, optional = optional, children = {} }
    item.children = is_record and add_columns(symbols, record, term, v, is_other, field) or item.children
    for _, axis in ipairs { "x", "y", "z", "w" } do
      if vector and rawget(vector, axis) then
        item.children[axis] = { kind = "column", component = term.name, name = field .. "." .. axis,
          label = label .. "." .. field .. "." .. axis, record = record, is_other = is_other, optional = optional }
        symbols[vector[axis]] = item.children[axis]
      end
    end
    symbols[v], children[name] = item, item
  end
  for name, v in pairs(not is_other and not optional and not path and proxies.get_derived(columns) or {}) do
    symbols[v] = { kind = "column", component = term.name, name = name, label = label .. "." .. name, record = record }
    children[name] = symbols[v]
  end
  return children
end

-- Adds to `symbols` the symbolic values of a query's tables and columns, which a script may hold in locals. `is_other`:
-- the loop iterates over the rows of a different query.
local function add_parts(symbols, record, is_other)
  local view = { kind = is_other and "other_query" or "view", label = "q", record = record, children = {} }
  local inner = record.inner
  symbols[record.view] = view
  if not is_other then
    symbols[inner.entity] = { kind = "entities", label = "q.entity" }
  end
  local presences = not is_other and rawget(inner, "has")
  if presences then
    symbols[presences] = { kind = "presences", label = "q.has" }
  end
  for _, term in ipairs(record.terms) do
    local is_required = term.role == "with"
    local columns = (is_required or presences and not view.children[term.name]) and rawget(inner, term.name)
    if columns then
      local item = { kind = is_other and "other_query" or "component", name = term.name, optional = not is_required,
        label = "q." .. term.name, record = record, children = add_columns(symbols, record, term, columns, is_other) }
      symbols[columns], view.children[term.name] = item, item
    end
    if presences and not is_required and term.role ~= "without" then
      symbols[proxies.get_contents(presences)[term.name]] = { kind = "presence", component = term.name,
        label = "q.has." .. term.name }
    end
  end
end

-- Adds the table that world.lookup returns for a component, or the table of its record `path`, and the columns of that
-- table.
local function add_lookup(symbols, target, view, path)
  local name = target.name
  local label = ("world.lookup(%q)"):format(name) .. (path and "." .. path or "")
  for member, v in pairs(proxies.get_contents(view)) do
    local field = path and path .. "." .. member or member
    if target.records[field] then
      add_lookup(symbols, target, v, field)
    else
      symbols[v] = { kind = target.lists[field] and "lookup_list" or proxies.get_contents(v) and "lookup_part"
        or "lookup_field", component = name, name = field,
        label = label .. "." .. member }
    end
  end
  symbols[view] = { kind = "lookup", component = name, path = path, label = label }
end

-- Adds to `symbols` the symbolic values of the tables returned by world.lookup and of their columns, which a script may
-- hold in locals assigned before a loop.
local function add_lookups(symbols)
  for _, target in pairs(components.by_name) do
    local view = target.kind == "component" and rawget(components.generated.lookup, target.name) or nil
    if view then
      add_lookup(symbols, target, view)
    end
  end
end

-- Returns, indexed by table, the symbolic values of all query and lookup tables and of their columns. A script may hold
-- these tables in locals assigned before a loop over `record`.
---@param records engine.Query[]
---@param record engine.Query
---@return table<any, table>
local function collect_symbols(records, record)
  local symbols = {}
  add_lookups(symbols)
  for i, record_of_query in ipairs(records) do
    record_of_query.number = i
    add_parts(symbols, record_of_query, record_of_query ~= record)
  end
  return symbols
end

-- Returns the member of `v` that is reached through these names; nil if a name is missing.
local function follow_names(v, names)
  proxies.set_peeking(true)
  local ok, member = pcall(function()
    local member = v
    for _, name in ipairs(names) do
      member = member[name]
    end
    return member
  end)
  proxies.set_peeking(false)
  return ok and member or nil
end

-- Returns the query that owns the first of `values` that is a column; nil if no value is a column of one of the queries
-- `records`. The values may include nil.
local function find_query_of_columns(records, values, count)
  local symbols_of_query = {}
  for i, record in ipairs(records) do
    symbols_of_query[i] = {}
    add_parts(symbols_of_query[i], record, false)
  end
  for k = 1, count do
    for i, record in ipairs(values[k] ~= nil and records or {}) do
      if symbols_of_query[i][values[k]] then
        return record
      end
    end
  end
end

-- Returns the query that a loop iterates over, or nil if none of the system's queries is iterated over. If the stop of
-- the loop is not the count of a query, returns the query whose column the loop's variable indexes first.
---@param records engine.Query[]
---@param loop engine.Loop
---@param locals any[]
---@return engine.Query?
local function find_record(records, loop, locals)
  if not loop.query then
    local columns = {}
    for i, path in ipairs(loop.columns) do
      columns[i] = follow_names(locals[path.root + 1], path.names)
    end
    return find_query_of_columns(records, columns, #loop.columns)
  end
  local view = follow_names(locals[loop.query.root + 1], loop.query.names)
  for _, record in ipairs(records) do
    if record.view == view then
      return record
    end
  end
end

-- Returns the row loops of a function. A loop that does not end at the count of a query is a row loop if its variable
-- indexes a column that is reached from `view`, the function's first parameter.
---@param update function
---@param records engine.Query[]
---@param view any
---@return engine.Loop[]
---@return { pc: integer, reason: string }[] loops that are not row loops but may take long
function M.find_loops(update, records, view)
  return loop_rewrite.find(update, function(loop)
    for _, record in ipairs(records) do
      queries.open(record)
    end
    local columns = {}
    for i, path in ipairs(loop.columns) do
      columns[i] = path.from_view and follow_names(view, path.from_view)
    end
    local is_over_rows = find_query_of_columns(records, columns, #loop.columns) ~= nil
    for _, record in ipairs(records) do
      queries.close(record)
    end
    return is_over_rows
  end)
end

M.collect_symbols, M.find_record = collect_symbols, find_record

local function execute_loop(unit)
  unit.attempts = unit.attempts + 1
  local record = find_record(unit.records, unit.loop, unit.locals)
  local line = util.funcinfo(unit.update, unit.loop.head).currentline
  unit.location = ("%s:%d"):format(unit.file, line)
  if not record then
    record_reason_at(unit.name, ("%s:%d"):format(unit.file, line), "a loop that is not over a query of the system")
    unit.attempts = MAX_ATTEMPTS
    return
  end
  local query_components, optional = list_components(record.terms)
  unit.steps.has_guards = unit.attempts <= MAX_GUARDED_ATTEMPTS
  local result, reason, error_line, may_retry =
    symbolic_exec.execute_loop(unit.update, unit.loop, unit.locals, unit.names,
    query_components,
    optional, collect_symbols(unit.records, record), unit.steps)
  unit.compiled = result and compile_result(result, unit.name, ("%s:%d"):format(unit.file, line), record)
  if unit.compiled then
    unit.compiled.is_required = unit.is_required
  end
  if not result then
    record_reason_at(unit.name, ("%s:%d"):format(unit.file, error_line or line), reason)
  elseif unit.compiled and not unit.compiled.is_sequential then
    C.vm_set_alone_reason(abi.vm, unit.name, ("%s:%d: code around the loop runs in Lua"):format(unit.file, line))
  end
  unit.attempts, unit.retry_in = (unit.compiled or may_retry) and unit.attempts or MAX_ATTEMPTS, may_retry
    and RUNS_UNTIL_RETRY or 0
end

local function get_max_row_count(records)
  local count = 0
  for _, record in ipairs(records) do
    count = math.max(count, record.query.count)
  end
  return count
end

-- Returns true if Lua must run all rows of this run; if false, native code is ready and its guards hold. `stop`: last
-- row of the loop.
local function must_run_in_lua(unit, stop)
  if should_execute(unit, unit.loop.query and stop or get_max_row_count(unit.records)) then
    continue_execution(unit, execute_loop)
  end
  if (unit.timed_version or unit.prefers_lua and "lua") == "lua" then
    return true
  end
  local compiled = unit.compiled
  local count = compiled and compiled.query.count
  local is_over = compiled and (unit.loop.stepped and stop > count or not unit.loop.stepped and stop ~= count)
  if is_over then
    record_range(unit)
  end
  if not compiled or is_over or not is_ready(compiled) then
    return true
  end
  local passed = prepare_run(compiled, unit.dt)
  if passed == nil then
    drop_code(unit)
  end
  return not passed or compiled.is_emitting and not try_defer_exits(compiled, commands.are_queued())
end

-- Begins a run of a rewritten loop. Returns the first row that runs in Lua, or nil if all rows have run natively.
local function begin_rewritten_run(unit, count)
  unit.dt, unit.exit_count, unit.lua_rows, unit.till, unit.exits = unit.locals[2], 0, 1, count, nil
  unit.steps.stop = count -- guards check row numbers such as i + 1 for the last row
  if count == 0 then
    return nil
  elseif must_run_in_lua(unit, count) then
    return 1
  end
  local compiled = unit.compiled
  -- must_run_in_lua has already deferred the exits of loops that emit.
  local is_deferred = compiled.is_emitting or try_defer_exits(compiled, commands.are_queued())
  local next_row = run_code(compiled, 0)
  if is_deferred then
    unit.exits, compiled.exit_count = compiled.exits, compiled.exit_count + compiled.exits.count
  end
  unit.till = math.min(next_row + 1, count)
  return next_row < count and next_row + 1 or nil
end

-- Returns the next row after `row` to run in Lua, in a stepped loop (its start or its step is not 1, or its stop is not
-- the row count). `row` is 0 in the first call.
local function find_next_stepped_row(unit, row)
  local steps = unit.steps
  unit.dt = unit.locals[2]
  if row == 0 then
    unit.exit_count, unit.by_lua = 0, must_run_in_lua(unit, steps.stop)
  elseif not unit.by_lua then
    local passed = prepare_run(unit.compiled, unit.dt)
    unit.exit_count = unit.exit_count + 1
    unit.by_lua = not passed or has_too_many_exits(unit.exit_count, row)
    if passed == nil then
      drop_code(unit)
    end
  end
  if unit.by_lua then
    return row == 0 and steps.first or row + steps.step
  end
  try_defer_exits(unit.compiled, false)
  local next_row = run_range(unit.compiled, steps.first - 1, row == 0 and steps.first - 1 or row, steps.stop)
  unit.compiled.exit_count = unit.compiled.exit_count + 1
  return next_row < steps.stop and next_row + 1 or nil
end

-- Copies the locals that precede a loop of the rewritten function to `locals` and `names`. `depth`: stack level of the
-- rewritten function, seen from the caller.
---@param unit table
---@param depth integer
local function read_locals(unit, depth)
  for n = 1, unit.loop.base do
    unit.names[n], unit.locals[n] = debug.getlocal(depth + 1, n)
  end
end

-- Writes the loop-carried locals back to the rewritten function. `depth`: as for read_locals.
---@param unit table
---@param depth integer
local function write_locals(unit, depth)
  for _, item in ipairs(unit.compiled and unit.compiled.carried or {}) do
    if item.slot then
      debug.setlocal(depth + 1, item.slot, unit.locals[item.slot])
    end
  end
end

M.read_locals, M.write_locals = read_locals, write_locals

-- Returns true if the loop cannot change the locals that precede it, so that reading them once suffices.
local function has_constant_locals(update, loop)
  for pc = 1, util.funcinfo(update).bytecodes - 1 do
    local is_in_loop = pc >= loop.first and pc < loop.last
    if bytecode.read_opcode(update, pc) == "FNEW" -- a closure may capture a local
      or is_in_loop and bytecode.writes_below(update, pc, loop.base) then
      return false
    end
  end
  return true
end

-- Returns the iterator of a rewritten loop. Initially, the iterator is find_next, which reads the function's locals, so
-- that LuaJIT does not compile the loop. It is replaced in the loop's slot by find_next_row, which does not read the
-- locals, if they cannot change, if the side exits are deferred, or while Lua runs consecutive rows.
local function create_iterator(unit)
  local has_fixed_locals, find_next = has_constant_locals(unit.update, unit.loop), nil
  local function find_next_row(count, row)
    local next_row = nil
    if has_fixed_locals or unit.exits then
      next_row = next_lua_row(unit, count, row)
    elseif row < unit.till then
      next_row = row + 1
    elseif row < count then
      return find_next(count, row) -- tail call, so that the caller of find_next is the loop's function
    end
    return next_row or end_timing(unit)
  end
  function find_next(count, row)
    if row == 0 then
      begin_timing(unit, count)
    end
    read_locals(unit, 2)
    local next_row = (row == 0 and begin_rewritten_run or next_lua_row)(unit, count, row)
    write_locals(unit, 2)
    debug.setlocal(2, unit.loop.base + 1,
      (has_fixed_locals or unit.exits or unit.till > (next_row or 0)) and find_next_row or find_next)
    return next_row or end_timing(unit)
  end
  require("jit").off(find_next)
  return find_next
end

local function check_loop_number(v, label)
  return tonumber(v) or error(("'for' %s must be a number"):format(label), 3)
end

-- Returns the row if the loop continues with it, otherwise nil. As in LuaJIT, a loop whose step is NaN has no rows.
local function limit_row_to_range(row, stop, step)
  if step >= 0 and row <= stop or step < 0 and row >= stop then
    return row
  end
end

-- Returns true if the start and the step are positive integers and the loop is not empty: every index up to the row
-- count is then a row number.
local function is_over_rows(steps)
  return steps.first >= 1 and steps.first % 1 == 0 and steps.step >= 1 and steps.step % 1 == 0
    and steps.first <= steps.stop
end

-- Limits a stepped loop to the rows for which the conditions around its body hold (loop_conditions.lua). Returns false
-- if a value in the conditions is not a number.
local function limit_to_conditions(unit)
  local loop, steps = unit.loop, unit.steps
  if not loop.limits then
    return true
  end
  local first, last = loop_conditions.apply(loop.limits, unit.locals, steps.first, steps.stop)
  if not first or not last then
    return false
  end
  steps.first, steps.stop = first, last
  return true
end

-- Returns the iterator of a rewritten stepped loop (its start or its step is not 1, or its stop is not the row count),
-- and a function whose first upvalue the rewritten function sets to the start.
local function create_stepped_iterator(unit)
  local loop, steps, start = unit.loop, unit.steps, nil
  local function get_start()
    return start
  end
  start = 1
  local function find_next(stop, row)
    read_locals(unit, 2)
    local next_row = find_next_stepped_row(unit, row)
    write_locals(unit, 2)
    return next_row and limit_row_to_range(next_row, stop, steps.step) or end_timing(unit)
  end
  local function find_next_row(stop, row)
    if unit.by_lua then
      return limit_row_to_range(row + steps.step, stop, steps.step) or end_timing(unit)
    end
    return find_next(stop, row)
  end
  local function find_first_row(stop, step)
    read_locals(unit, 2)
    steps.first, stop, steps.step = check_loop_number(start, "initial value") + 0, check_loop_number(stop, "limit"),
      check_loop_number(step, "step")
    steps.stop = math.floor(stop)
    local is_limited = limit_to_conditions(unit)
    stop = is_limited and loop.limits and steps.stop or stop
    debug.setlocal(2, loop.base + 1, find_next_row)
    debug.setlocal(2, loop.base + 2, stop)
    if not is_limited or not is_over_rows(steps) then
      unit.by_lua = true
      if is_limited and limit_row_to_range(steps.first, stop, steps.step) then
        record_range(unit)
      end
      return limit_row_to_range(steps.first, stop, steps.step)
    end
    begin_timing(unit, steps.stop - steps.first + 1)
    local next_row = find_next_stepped_row(unit, 0)
    write_locals(unit, 2)
    return next_row or end_timing(unit)
  end
  require("jit").off(find_next)
  require("jit").off(find_first_row)
  return find_first_row, get_start
end

-- Returns the conditions around the body of a loop from row 1 to its query's count, and the pc at which the code inside
-- the conditions begins; nil if there are no conditions.
local function find_limits(update, loop)
  if not loop.stepped then
    return loop_conditions.find(update, loop)
  end
end

-- Returns true if the conditions around the body of a loop limit its rows, so that the loop must be compiled by itself.
local function has_limited_loop(update)
  for _, loop in ipairs((loop_rewrite.find(update))) do
    if find_limits(update, loop) then
      return true
    end
  end
  return false
end

-- Rewrites the loops of a system's function to run native code where they can be compiled. Returns the copy (nil if
-- there is no loop over rows or the function cannot be rewritten) and the state of each loop.
local function rewrite_loops(system, update, view, records)
  local units, iterators, starts = {}, {}, {}
  local loops, others = M.find_loops(update, records, view)
  for _, other in ipairs(#loops > 0 and others or {}) do
    local line = util.funcinfo(update, other.pc).currentline
    C.native_set_refuse_system(native_set, ("%s, line %d"):format(system.name, line),
      ("%s:%d"):format(system.at.file, line), other.reason)
  end
  for i, loop in ipairs(loops) do
    loop.limits, loop.body, loop.constants = find_limits(update, loop)
    loop.stepped = loop.stepped or loop.limits ~= nil
    units[i] = { name = i == 1 and system.name or ("%s, loop %d"):format(system.name, i), file = system.at.file,
      loop = loop, update = update, records = records, locals = {}, names = {}, attempts = 0, retry_in = 0,
      by_lua = true, till = 0, exit_count = 0, lua_rows = 1, steps = { first = 1, stop = 0, step = 1 },
      is_required = system.declaration.compile == "required", limit = system.row_limit }
    iterators[i], starts[i] = (loop.stepped and create_stepped_iterator or create_iterator)(units[i])
  end
  local copy = #units > 0 and loop_rewrite.copy(update, loops, iterators, starts) or nil
  return copy, units
end

-- Returns the function that runs a system's side exits in Lua, iterating over their rows only. For a system with
-- `update`, this is a rewritten copy of that function. Returns nil if the function cannot be rewritten.
local function create_exit_runner(unit, system)
  local update, compiled = system.declaration.update, unit.compiled
  local function find_next_row(count, row)
    if row == 0 then
      return unit.first
    end
    return next_lua_row(unit, count, row)
  end
  if not update then
    return function(dt) unit.run_each(dt, find_next_row, unit.arguments) end
  end
  local copy, view = loop_rewrite.copy(update, { compiled.loop_at }, { find_next_row }), system.record.view
  return copy and function(dt) copy(view, dt, unit.arguments) end
end

-- Returns the function that runs a system's rows natively, and its side exits in Lua.
local function create_native_runner(unit, system, body)
  local query = system.record.query
  return function(dt)
    local compiled = unit.compiled
    local passed = begin_run(compiled, dt)
    local is_deferred = passed and try_defer_exits(compiled, commands.are_queued())
    if not passed or compiled.is_emitting and not is_deferred then
      if passed == nil then
        drop_code(unit)
      end
      return body(dt, unit.arguments)
    end
    local next_row = run_code(compiled, 0)
    unit.exits = is_deferred and compiled.exits or nil
    if next_row < query.count then
      compiled.exit_count = compiled.exit_count + (is_deferred and compiled.exits.count or 1)
      unit.dt, unit.first, unit.till, unit.exit_count, unit.lua_rows = dt, next_row + 1, next_row + 1, 1, 1
      unit.run_exits_in_lua(dt)
    end
  end
end

-- Returns true if a body over one query runs in Lua because of its few rows. Returns false in eager and swap modes.
---@param count integer number of rows
---@param min_rows integer number of rows from which the body is compiled
---@return boolean
function M.runs_in_lua(count, min_rows)
  return count < min_rows and not is_eager and swap_seed == 0
end

-- Returns the function that runs a system from now on, in Lua or natively. `body` runs it in Lua.
-- `run_each(dt, next_row)` runs an `each` for the rows that the iterator `next_row(count, row)` returns.
---@param system engine.System
---@param body fun(dt: number, arguments: table?)
---@param run_each? fun(dt: number, next_row: (fun(count: integer, row: integer): integer?), arguments: table?)
---@return fun(dt: number, arguments: table?)
function M.wrap_body(system, body, run_each)
  if M.is_never_compiled(system) then
    return body
  end
  local limit, choice, inner = system.row_limit, create_choice(), system.record.inner
  local unit = { attempts = 0, retry_in = 0, run_each = run_each, limit = limit }
  local units, run_native = { unit }, create_native_runner(unit, system, body)
  local function compile_or_split() M.compile_or_split(unit, system, body) end
  record_refusal(system, few_rows.describe(limit))
  local function run_in_lua(dt) body(dt, unit.arguments) end
  return interpreted.caller(function(dt, arguments)
    local count = inner.count
    if M.runs_in_lua(count, limit.min_rows) and not unit.compiled and not active_execution then
      return few_rows.run(limit, count, body, dt, arguments)
    end
    unit.arguments = arguments
    if unit.loopwise then
      return unit.loopwise(dt, arguments)
    end
    if should_execute(unit, count) then
      continue_execution(unit, compile_or_split)
    end
    local must_swap = swap_seed > 0 and is_swapped(units, choice, system.name)
    count_detached_runs(system, choice)
    if must_swap or not is_ready(unit.compiled) then
      run_in_lua(dt)
    elseif is_eager then
      run_native(dt)
      run_without_lua(system, unit.compiled, RUNS_WHERE_EAGER, unit)
    elseif count < limit.min_rows then
      run_in_lua(dt)
    elseif choose_version(choice, count, units) == "native" then
      run_timed(choice, "native", count, run_native, dt)
      run_without_lua(system, unit.compiled, choice.samples and 0 or choice.left - 1, unit)
    else
      run_timed(choice, "lua", count, run_in_lua, dt)
    end
  end)
end

-- Returns the reason why no loop of the function is a loop over rows.
---@param update function
---@return string
function M.explain_missing_loop(update)
  for pc = 1, util.funcinfo(update).bytecodes - 1 do
    local op = bytecode.read_instruction(update, pc)
    if op == "FORI" or op == "JFORI" then
      return "a loop whose variable is not a row, as in for i = 1, q.count do"
    end
  end
  return "a function without a loop for i = 1, q.count do"
end

-- Records a slow handler (systems/handler_costs.lua). Replaces the previous record with this name.
---@param name string
---@param location string
---@param reason string
function M.record_slow_handler(name, location, reason)
  if level > 0 then
    C.native_set_refuse_system(native_set, name, location, reason)
  end
end

-- Compiles a system's function as a whole. If that is not possible, compiles each loop of an `update` separately.
function M.compile_or_split(unit, system, body)
  local form = system.declaration.update and "update" or "each"
  unit.attempts, unit.name, unit.location = unit.attempts + 1, system.name, format_location(system)
  local compiled, may_retry = nil, false
  if form == "each" or not has_limited_loop(system.declaration.update) then
    compiled, may_retry = execute_and_compile(unit, system, form)
  end
  unit.compiled = compiled
  unit.run_exits_in_lua = compiled and compiled.has_exits and create_exit_runner(unit, system)
  if unit.run_exits_in_lua == nil then
    unit.compiled = nil
  end
  unit.attempts, unit.retry_in = (unit.compiled or may_retry) and unit.attempts or MAX_ATTEMPTS, may_retry
    and RUNS_UNTIL_RETRY or 0
  if not unit.compiled and form == "update" then
    unit.loopwise = M.wrap_loops(system, body, system.declaration.update, system.record.view, { system.record })
    record_refusal(system, unit.loopwise and few_rows.describe(unit.limit)
      or M.explain_missing_loop(system.declaration.update))
  end
end

-- Returns true if a system is never compiled. Records the reason unless it is an engine system or compilation is off.
---@param system engine.System
---@return boolean
function M.is_never_compiled(system)
  local reason = level > 0 and get_reason_not_compiled(system)
  system.row_limit = few_rows.create(level > 0 and not reason)
  if reason and not system.name:find("^shoal%.") then
    record_refusal(system, reason)
  end
  return level == 0 or reason ~= nil and reason ~= false
end

-- Returns the function that runs a system with several loops, or with code around its loop: a copy that runs the rows
-- of each loop natively. Returns nil if there is no loop over rows, or if the function cannot be rewritten.
---@param system engine.System
---@param body fun(dt: number, arguments: table?)
---@param update function
---@param view any first argument of the function
---@param records engine.Query[]
---@return (fun(dt: number, arguments: table?))?
function M.wrap_loops(system, body, update, view, records)
  local copy, units = rewrite_loops(system, update, view, records)
  if not copy then
    return nil
  end
  local choice, limit, current_arguments = create_choice(), system.row_limit, nil
  local function run_native(dt)
    copy(view, dt, current_arguments)
  end
  local function run_in_lua(dt)
    body(dt, current_arguments)
  end
  local function has_loop_where(matches)
    for _, unit in ipairs(units) do
      if matches(unit) then
        return true
      end
    end
    return false
  end
  -- Returns true if the loop may still be compiled.
  local function is_pending(unit)
    return not unit.compiled and (unit.attempts < MAX_ATTEMPTS or is_executing(unit))
  end
  local function has_code(unit) return is_ready(unit.compiled) end
  return interpreted.caller(function(dt, arguments)
    local count = get_max_row_count(records)
    current_arguments = arguments
    local is_worthwhile = is_eager or count >= limit.min_rows
    local has_ready_code, must_swap = is_worthwhile and has_loop_where(has_code), swap_seed > 0
      and is_swapped(units, choice, system.name)
    if not is_worthwhile and swap_seed == 0 then
      few_rows.run(limit, count, body, dt, arguments)
    elseif not must_swap and is_worthwhile and (is_eager and has_ready_code or has_loop_where(is_pending)) then
      run_native(dt)
    elseif must_swap or not has_ready_code then
      run_in_lua(dt)
    elseif choose_version(choice, count, units) == "native" then
      run_loops_timed(choice, "native", count, units, run_native, dt)
    else
      run_loops_timed(choice, "lua", count, units, choice.samples and run_native or run_in_lua, dt)
    end
  end)
end

-- Returns the function that runs a system with several queries, natively where possible.
---@param system engine.System
---@param body fun(dt: number, arguments: table?)
---@return fun(dt: number, arguments: table?)
function M.wrap_body_of_several(system, body)
  if M.is_never_compiled(system) then
    return body
  end
  local wrapped_body = M.wrap_loops(system, body, system.declaration.update, system.views, system.records)
  C.native_set_refuse_system(native_set, system.name, format_location(system), wrapped_body
    and few_rows.describe(system.row_limit) or M.explain_missing_loop(system.declaration.update))
  return wrapped_body or body
end

return M
