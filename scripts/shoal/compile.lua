-- Systems as native code: what a system's function does to a row is read from its bytecode (compile/front.lua),
-- written as text for LLVM (compile/emit.lua), compiled on a thread of its own, and run in place of Lua from the first
-- run on in which it is there (engine/native). The bits are the same, so when that is shows in nothing but the time.
--
-- Each run asks first whether what the code was made for still holds: locals of the file, tables of constants. Rows
-- that the code does not do are done by Lua, in their turn.
local need, native = ...
local abi, bytecode, emit, front = need("abi"), need("compile/bytecode"), need("compile/emit"), need("compile/front")
local component, number = need("component"), need("number")
local C = abi.C

---@class engine.compile
local M = {}

local LEAST_ROWS = 256  -- fewer are not worth compiling for
local MOST_READINGS = 4 -- of a system whose constants change
local MOST_WINDOW = 64  -- rows that Lua does at a time

local set, level, eager ---@type ffi.cdata*, integer, boolean
local marked = C.world_tracks_touched(abi.world)

-- For the systems of this VM, before any of them is bound.
function M.begin()
  set = C.vm_begin_native(abi.vm)
  level = (native.worker or not bytecode.is_known) and 0 or C.native_set_level(set)
  eager = C.native_set_waits(set)
end

-- What kernels are compiled for, and whether they wait for it.
---@return integer level, boolean waits
function M.kernels()
  return native.worker and 0 or C.native_set_level(set), eager
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
  elseif system.phase == "demand" then
    return "it runs on demand"
  elseif system.declaration.parallel then
    return "it is shared out among workers, parallel = true"
  elseif number.is_foreign() then
    return "the game has plugins, which may write numbers of any kind"
  end
end

local function components_of(system)
  local out = {}
  for _, term in ipairs(system.terms) do
    if term.role == "with" then
      out[term.name] = component.by_name[term.name]
    end
  end
  return out
end

local function refused(system, why, line)
  C.native_set_refused(set, system.name, line and ("%s:%d"):format(system.at.file, line) or place(system), why)
end

-- → what is needed to run it; nil when it is refused, which is noted.
local function read(system, form)
  local result, why, line = front.read(system.declaration[form], form, components_of(system))
  if not result then
    refused(system, why, line)
    return nil
  end
  local loop = C.native_loop_create(set, system.name, place(system), system.record.query)
  local slot = {}
  for _, key in ipairs(need("sorted")(result.columns)) do
    local column = result.columns[key]
    slot[key] = C.native_loop_column(loop, component.by_name[column.component].id, column.field.column,
      column.written == true)
    if slot[key] < 0 then
      return nil
    end
  end
  local parameters = C.native_loop_parameters(loop, #result.parameters)
  local text = parameters ~= nil and emit.text(result, slot, level, marked)
  if not text or not C.native_loop_compile(loop, text, #text, #result.why > 0) then
    return nil
  end
  return { loop = loop, parameters = parameters, wanted = result.parameters, checks = result.checks }
end

-- Does what it was compiled for still hold? The parameters are those of now, then.
local function prepare(made, dt)
  for _, item in ipairs(made.checks) do
    if item.fetch() ~= item.v then
      return nil
    end
  end
  for i, item in ipairs(made.wanted) do
    local v = item.key == "dt" and dt or item.fetch()
    if type(v) ~= "number" then
      return false
    end
    made.parameters[i - 1] = v
  end
  return true
end

-- Runs rows [first, first + count) in Lua.
local function in_window(system, update, dt, first, count)
  local record = system.record
  C.native_window(record.query, first, count)
  record.inner.count = count
  update(record.view, dt)
  record.inner.count = record.query.count
  C.native_window_end(record.query, first)
end

-- All rows. What Lua has to do it does for one row, and for more where such rows follow each other closely.
local function run(made, system, dt, by_lua)
  local count, at, window = system.record.query.count, 0, 1
  while true do
    local stopped = C.native_loop_run(made.loop, at)
    if stopped >= count then
      return
    end
    window = stopped - at < 16 and not eager and math.min(window * 2, MOST_WINDOW) or 1
    local rows = math.min(window, count - stopped)
    by_lua(dt, stopped, rows)
    at = stopped + rows
    if at < count and not prepare(made, dt) then
      by_lua(dt, at, count - at)
      return
    end
  end
end

-- Which of two ways a system takes, by what they cost: each is timed anew from time to time, and the faster one has the
-- runs between. Both do the same to the world, so what the clock says shows in nothing else.
-- LuaJIT has compiled a loop over many rows behind the first run.
local SAMPLES, SAMPLES_OF_MANY, MANY_ROWS, BETWEEN = 12, 3, 4096, 1000

local function new_choice()
  return { cost = { lua = math.huge, native = math.huge }, way = "native", left = 0, samples = false }
end

local function timed(choice, way, count, f, dt)
  local before = C.native_clock_ns()
  f(dt)
  local cost = (C.native_clock_ns() - before) / count
  if cost < choice.cost[way] then
    choice.cost[way] = cost
  end
end

-- The way of the next run, over so many rows.
local function next_way(choice, count)
  local samples = count >= MANY_ROWS and SAMPLES_OF_MANY or SAMPLES
  choice.left = choice.left - 1
  if choice.left > 0 then
    return choice.way
  elseif choice.samples and choice.way == "lua" then
    choice.way, choice.left = "native", samples
    choice.cost.native = math.huge
  elseif choice.samples then
    choice.samples, choice.left = false, BETWEEN
    choice.way = choice.cost.native <= choice.cost.lua and "native" or "lua"
  else
    choice.samples, choice.left = true, samples
    choice.way, choice.cost.lua = "lua", math.huge
  end
  return choice.way
end

-- `body` is what the system does in Lua; `by_lua(dt, first, count)` does some rows. → what it does from now on.
---@param system engine.System
---@param body fun(dt: number)
---@param by_lua? fun(dt: number, first: integer, count: integer)
---@return fun(dt: number)
function M.body(system, body, by_lua)
  local form = system.declaration.update and "update" or "each"
  local why = level > 0 and unfit(system)
  if level == 0 or why then
    if why and not system.name:find("^shoal%.") then
      refused(system, why)
    end
    return body
  end
  by_lua = by_lua or function(dt, first, count)
    in_window(system, system.declaration.update, dt, first, count)
  end
  local made, readings, choice = nil, 0, new_choice()
  local query = system.record.query
  refused(system, ("it has not had %d rows at once"):format(LEAST_ROWS))
  local function natively(dt)
    local holds = prepare(made, dt)
    if holds then
      return run(made, system, dt, by_lua)
    elseif holds == nil then
      made = nil
    end
    body(dt)
  end
  return function(dt)
    local count = query.count
    if not made and (readings < MOST_READINGS and (count >= LEAST_ROWS or eager)) then
      readings = readings + 1
      made = read(system, form)
      readings = made and readings or MOST_READINGS
    end
    if not made or not C.native_loop_is_ready(made.loop) then
      body(dt)
    elseif eager then
      natively(dt)
    elseif count < LEAST_ROWS then
      body(dt)
    elseif next_way(choice, count) == "native" then
      timed(choice, "native", count, natively, dt)
    else
      timed(choice, "lua", count, body, dt)
    end
  end
end

return M
