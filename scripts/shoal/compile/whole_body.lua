-- System bodies that must be compiled without side exits (rows that fall back to Lua): those in single precision, and
-- those that require it (`compile = "required"`). They are executed symbolically when they are bound, so code that
-- cannot be compiled is reported, with its line, before the game starts or a reload takes effect. Lua cannot run bodies
-- in single precision: without machine code, or until it is ready, native/interpreter.h runs them with the same
-- results.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local report = need("base/report")
local bytecode = need("compile/bytecode")
local compile = need("compile/compile")
local emit = need("compile/emit")
local symbolic_exec = need("compile/symbolic_exec")
local entry_locals = need("compile/entry_locals")
local loop_rewrite = need("compile/loop_rewrite")
local interpreter_program = need("compile/interpreter_program")
local number = need("math/number")
local query = need("world/query")
local util = require("jit.util")
local ffi, C, current = abi.ffi, abi.C, abi.current

---@class engine.whole_body
local M = {}

local MIN_ROWS = 256 -- minimum number of rows for which compiling pays off
local RUNS_WITHOUT_LUA = 1000 -- consecutive runs in C without calling Lua, once nothing is left to compile
local RUNS_WITH_FEW_ROWS = 30 -- consecutive runs in C while there are too few rows for compiling to pay off
local WIDTH_OF_INTERPRETER, MAX_REPORTS = 16, 32
local TOO_LARGE = "a body with too many columns or parameters, or with an unsupported column"
local TOO_LONG = "a body with too many operations: split the system into several"

-- Returns the precision of a body that must be compiled without side exits, or nil for any other body.
---@param declaration shoal.System
---@return "single"|"double"|nil
function M.get_precision(declaration)
  return declaration.precision == "single" and "single" or declaration.compile == "required" and "double" or nil
end

-- Returns the option that requires a system to be compiled.
local function format_option(system)
  return system.declaration.precision == "single" and "precision = \"single\"" or "compile = \"required\""
end

local function describe_refusal(system, reason)
  return (reason:find("^unknown ") and "%s: %s" or "%s: cannot compile %s"):format(format_option(system), reason)
end

local function fail_with(system, message, file, line)
  report.fail { message = message, file = file, line = line or report.find_line(system.at.text, "precision"),
    piece = "system " .. system.name }
end

local function fail(system, reason, line)
  fail_with(system, describe_refusal(system, reason), symbolic_exec.file_of_refusal or system.at.file, line)
end

-- --- symbolic execution

local function get_line(unit, line)
  return line or unit.loop and util.funcinfo(unit.update, unit.loop.head).currentline
    or debug.getinfo(unit.update or unit.each, "S").linedefined
end

-- Executes the body symbolically. Returns the result, or on failure nil, the reason, the line, and true if a
-- later attempt may succeed.
local function execute_body(unit, locals, names)
  local record = unit.record
  compile.cancel_execution()
  if not unit.loop then
    local components, optional = compile.list_components(record.terms)
    return symbolic_exec.execute_function(unit.each or unit.update, unit.each and "each" or "update", record,
      components,
      optional, nil, nil, unit.precision)
  end
  record = compile.find_record(unit.records, unit.loop, locals)
  if not record then
    return nil, "a loop that is not over a query of the system", get_line(unit)
  end
  unit.record = record
  local components, optional = compile.list_components(record.terms)
  return symbolic_exec.execute_loop(unit.update, unit.loop, locals, names, components, optional,
    compile.collect_symbols(unit.records, record), unit.steps, unit.precision)
end

-- Creates the native loop of a result, with its guards, its parameters and the instructions for the interpreter.
-- Returns the state that runs the loop, or nil and the reason on failure.
local function prepare_interpreter(unit, result)
  local location = ("%s:%d"):format(unit.file, get_line(unit))
  local loop, slot, parameters = compile.create_loop(result, unit.name, location, unit.record)
  if not loop then
    return nil, TOO_LARGE
  end
  result.links = emit.writes_links(result) or false
  local level = compile.get_level()
  local code, count, prologue, registers = interpreter_program.generate(result, slot, compile.is_marked())
  local width = result.in_order and 1 or level > 0 and emit.choose_width(result, level) or WIDTH_OF_INTERPRETER
  local order = compile.get_order(result)
  if #result.reports > MAX_REPORTS
    or not C.native_loop_set_instructions(loop, code, count, prologue, registers, width, order) then
    return nil, TOO_LONG
  end
  local compiled = compile.create_state(result, loop, parameters, unit.record, order ~= compile.WITHOUT_EXITS)
  compiled.order = order
  if compiled.is_sequential then
    compile.record_sequential(unit.name, unit.file, location, result)
  end
  compiled.result, compiled.slot, compiled.reports, compiled.failures = result, slot, result.reports, result.failures
  return compiled
end

-- Executes the body of a running system symbolically, because it has no result yet or a guard of its result failed.
-- Raises an error if the body cannot be compiled.
local function execute_again(unit)
  local result, reason, line = execute_body(unit, unit.locals, unit.names)
  local compiled, problem = nil, reason
  if result then
    compiled, problem = prepare_interpreter(unit, result)
  end
  unit.compiled = compiled
  if not compiled then
    local file = symbolic_exec.file_of_refusal or unit.file
    error(("%s:%d: %s"):format(file, get_line(unit, line), describe_refusal(unit.system, problem)), 0)
  end
end

-- --- running

local value_out = ffi.new("double[1]")

local function log_reports(unit, compiled)
  for k, item in ipairs(compiled.reports) do
    if C.native_loop_pop_report(compiled.loop, k - 1, value_out) >= 0 then
      number.warn_clamped(value_out[0], item.min, item.max, item.label, ("%s:%d"):format(unit.file, item.line))
    end
  end
end

-- Raises an error for a row that the compiled code cannot process. The message contains the line, the number of the
-- row, its entity and the possible reasons.
local function fail_row(unit, compiled, row)
  local reasons, listed, line = {}, {}, nil
  for _, item in ipairs(compiled.failures) do
    line = line or item.line
    if not listed[item.reason] then
      listed[item.reason], reasons[#reasons + 1] = true, item.reason
    end
  end
  current.entity = compiled.query.entities[row]
  error(("%s:%d: row %d, %s: %s"):format(unit.file, line or get_line(unit), row + 1,
    tostring(handle.handle(compiled.query.entities[row])), table.concat(reasons, ", or ")), 0)
end

-- Requests the machine code of a loop. Raises an error, in the form of `raise`, if the code is too long.
local function write_code(unit, raise)
  local compiled = unit.compiled
  local code, width = emit.generate(compiled.result, compiled.slot, compile.get_level(), compile.is_marked())
  compiled.result, compiled.slot = nil, nil
  compiled.awaits_code = C.native_loop_compile(compiled.loop, code, #code, width, compiled.order)
  if not compiled.awaits_code then
    raise(unit, describe_refusal(unit.system, TOO_LONG))
  end
end

-- Raises an error with `raise` if LLVM has failed to compile the requested code, even though the interpreter could
-- still run the loop, several times more slowly. `waits`: waits until the code is compiled. If LLVM is missing, raises
-- no error, and the interpreter runs the loop.
local function check_code(unit, raise, waits)
  local failure = compile.find_failure(unit.compiled, waits)
  unit.compiled.awaits_code = failure == nil
  if failure ~= nil and failure ~= "" then
    raise(unit, compile.format_failure(format_option(unit.system), failure))
  end
end

local function raise_at_run(unit, message)
  error(("%s:%d: %s"):format(unit.file, get_line(unit), message), 0)
end

local function fail_at_load(unit, message)
  fail_with(unit.system, message, unit.file, get_line(unit))
end

local function is_too_small(count)
  return count < MIN_ROWS and not compile.is_eager()
end

local function needs_code(compiled)
  return compiled.result ~= nil and compile.get_level() > 0
end

local function request_code(unit, compiled, count)
  if needs_code(compiled) and not is_too_small(count) then
    compile.continue_execution(unit, function() write_code(unit, raise_at_run) end)
  end
  if compiled.awaits_code then
    check_code(unit, raise_at_run, false)
  end
end

-- Compiles a loop while the game is loaded, so that a failure of LLVM is an error of the load or reload.
local function compile_at_load(unit)
  if needs_code(unit.compiled) then
    write_code(unit, fail_at_load)
    check_code(unit, fail_at_load, true)
  end
end

-- Returns the number of runs that C can execute without calling Lua.
local function runs_without_lua(unit)
  local compiled = unit.compiled
  if #compiled.reports > 0 or compiled.awaits_code then
    return 0
  elseif needs_code(compiled) then
    return is_too_small(unit.record.query.count) and RUNS_WITH_FEW_ROWS or 0
  end
  return RUNS_WITHOUT_LUA
end

local function is_ready_to_run(compiled, dt)
  return compiled ~= nil and compile.begin_run(compiled, dt)
end

-- Runs all rows of a loop, in machine code or in the interpreter. Its query must be open. Raises an error if the
-- compiled code cannot process a row, or if a guard fails and the body cannot be compiled again.
local function run_rows(unit, dt)
  local compiled, count = unit.compiled, unit.record and unit.record.query.count or 0
  if not is_ready_to_run(compiled, dt) then
    execute_again(unit)
    compiled, count = unit.compiled, unit.record.query.count
    if not is_ready_to_run(compiled, dt) then
      error(("%s:%d: %s"):format(unit.file, get_line(unit), describe_refusal(unit.system,
        "rows that might read values written by other rows, or a value that is currently missing")), 0)
    end
  end
  local is_stepped = unit.loop ~= nil and unit.loop.stepped
  local first_row, stop = is_stepped and unit.steps.first - 1 or 0, is_stepped and unit.steps.stop or count
  if stop > count then
    report.raise("%s: a loop over rows must stop at row %d, the last row, got %d", unit.name, count, stop)
  end
  if count == 0 then
    return
  end
  request_code(unit, compiled, count)
  C.native_loop_is_ready(compiled.loop)
  local next_row = compile.run_range(compiled, first_row, first_row, stop)
  if #compiled.reports > 0 then
    log_reports(unit, compiled)
  end
  if next_row < stop then
    fail_row(unit, compiled, next_row)
  end
end

-- --- binding

local function create_unit(system, precision)
  return { system = system, name = system.name, file = system.at.file, precision = precision, locals = {}, names = {},
    steps = { first = 1, stop = 0, step = 1 } }
end

-- Returns the iterator for a rewritten loop: its first call runs all rows and returns nil, which ends the loop. Also
-- returns a function whose first upvalue the rewritten function sets to the loop's start, if the loop is stepped.
local function create_iterator(unit)
  local start, steps = nil, unit.steps
  local function get_start()
    return start
  end
  start = 1
  local function run()
    compile.read_locals(unit, 3)
    run_rows(unit, unit.locals[2])
    compile.write_locals(unit, 3)
  end
  local function run_all_rows(stop, step)
    if unit.loop.stepped then
      steps.first, steps.stop, steps.step = tonumber(start), math.floor(tonumber(stop) or 0), tonumber(step)
      if not steps.first or not steps.step or steps.first < 1 or steps.first % 1 ~= 0 or steps.step < 1
        or steps.step % 1 ~= 0 then
        report.raise("%s: the start and the step of a loop over rows must be integers of at least 1", unit.name)
      elseif steps.first > steps.stop or steps.stop ~= steps.stop then
        return nil
      end
    end
    run()
    return nil
  end
  require("jit").off(run_all_rows)
  require("jit").off(run)
  return run_all_rows, get_start
end

-- Creates the native loop of a result, and compiles it. Raises an error if either fails.
function M.prepare_at_load(unit, result)
  local problem
  unit.compiled, problem = prepare_interpreter(unit, result)
  if not unit.compiled then
    fail(unit.system, problem, get_line(unit))
  end
  compile_at_load(unit)
end

-- Checks, before a function has run, that one of its loops can be compiled. Uses predicted locals
-- (compile/entry_locals.lua), and raises an error only if all of them are known and a later attempt cannot succeed.
local function check_loop(unit, view)
  local are_locals_known
  for _, record in ipairs(unit.records) do
    query.open(record)
  end
  unit.locals, are_locals_known = entry_locals.find_locals(unit.update, unit.loop,
    symbolic_exec.get_globals(), view, 1 / 60)
  for n = 1, unit.loop.base do
    unit.names[n] = debug.getlocal(unit.update, n) or ("local %d"):format(n)
  end
  local result, reason, line, may_retry = execute_body(unit, unit.locals, unit.names)
  for _, record in ipairs(unit.records) do
    query.close(record)
  end
  if not result and are_locals_known and not may_retry then
    fail(unit.system, reason, get_line(unit, line))
  elseif result and are_locals_known and unit.precision == "single" then
    M.prepare_at_load(unit, result)
  end
end

local function bind_loops(system, precision, records, view)
  local update = system.declaration.update
  local loops, iterators, starts = loop_rewrite.find(update), {}, {}
  loops = #loops == 0 and compile.find_loops(update, records, view) or loops
  if #loops == 0 then
    fail(system, compile.explain_missing_loop(update), debug.getinfo(update, "S").linedefined)
  end
  for i, loop in ipairs(loops) do
    local unit = create_unit(system, precision)
    unit.name = i == 1 and system.name or ("%s, loop %d"):format(system.name, i)
    unit.loop, unit.update, unit.records = loop, update, records
    check_loop(unit, view)
    unit.locals, unit.compiled = {}, nil
    iterators[i], starts[i] = create_iterator(unit)
  end
  local rewritten = loop_rewrite.copy(update, loops, iterators, starts)
  if not rewritten then
    fail(system, "a function of this size", debug.getinfo(update, "S").linedefined)
  end
  return rewritten
end

-- Executes the body of a system symbolically; raises an error if it cannot be compiled. Returns the compilation state
-- of the body (create_unit) or, if its loops are compiled separately, nil and a rewritten copy of its function.
local function bind(system, precision)
  local declaration = system.declaration
  if not bytecode.is_known then
    fail(system, "with this version of LuaJIT: unknown bytecode")
  end
  if system.record then
    local unit = create_unit(system, precision)
    unit.each, unit.update, unit.record, unit.records = declaration.each, declaration.update, system.record,
      { system.record }
    local result, reason, line, may_retry = execute_body(unit)
    if result and precision == "single" then
      M.prepare_at_load(unit, result)
    end
    if result or may_retry then
      return unit
    elseif declaration.each then
      fail(system, reason, get_line(unit, line))
    end
  end
  local view = system.record and system.record.view or system.views
  return nil, bind_loops(system, precision, system.records, view)
end

-- Checks that a body with `compile = "required"` can be compiled; raises an error if not. At run time, the body is
-- treated like any body without this option.
---@param system engine.System
function M.check(system)
  local unit = bind(system, "double")
  if not unit then
    return
  end
  local failure, is_rejected = compile.find_failure_of_body(system)
  if is_rejected then
    fail(system, TOO_LARGE, get_line(unit))
  elseif failure ~= nil and failure ~= "" then
    fail_at_load(unit, compile.format_failure(format_option(system), failure))
  end
end

-- Runs the loop without checking its guards, if the previous run determined that the next runs need no check. Returns
-- false if the guards must be checked. Used for systems that C does not run without Lua (because they have event
-- handlers, for example): for a run over few rows, this saves most of the time spent in Lua.
local function run_unchecked(system, unit, dt)
  local loop = system.detaching
  if system.can_be_detached or not loop or loop.needs_lua or loop.runs == 0
      or unit.compiled.order ~= compile.WITHOUT_EXITS then
    return false
  end
  loop.runs = loop.runs - 1
  C.native_loop_run_all(loop.loop, loop.dt, dt)
  return true
end

-- Returns the function that runs a system in single precision.
---@param system engine.System
---@return fun(dt: number)
function M.wrap_body(system)
  local unit, rewritten = bind(system, "single")
  local view = system.record and system.record.view or system.views
  if not unit then
    return function(dt, arguments)
      rewritten(view, dt, arguments)
    end
  end
  local choice = compile.create_choice()
  if unit.compiled and not unit.compiled.is_sequential and #unit.compiled.reports == 0 then
    system.whole_loop = unit.compiled.loop
  end
  return function(dt)
    if run_unchecked(system, unit, dt) then
      return
    end
    compile.attach(system, choice)
    if compile.is_swapped({ unit }, choice, system.name) then
      unit.compiled = nil
    end
    run_rows(unit, dt)
    compile.detach(system, unit.compiled, runs_without_lua(unit))
  end
end

return M
