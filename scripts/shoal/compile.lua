-- Systems as native code: what a system's function does to a row is read from its bytecode (compile/front.lua),
-- written as text for LLVM (compile/emit.lua), compiled on a thread of its own, and run in place of Lua from the first
-- run on in which it is there (engine/native). The bits are the same, so when that is shows in nothing but the time.
--
-- Each run asks first whether what the code was made for still holds: locals of the file, tables of constants. Rows
-- that the code does not do are done by Lua, in their turn.
local need, native = ...
local abi, bytecode, emit, front = need("abi"), need("compile/bytecode"), need("compile/emit"), need("compile/front")
local component, handle, number = need("component"), need("handle"), need("number")
local C = abi.C

---@class engine.compile
local M = {}

local LEAST_ROWS = 256  -- fewer are not worth compiling for
local MOST_READINGS = 8 -- of a system whose constants change
local UNTIL_AGAIN = 30  -- runs, where something was not there when it was read
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
  end
end

-- → those that every row has, and the names of those that it may have
local function components_of(system)
  local out, optional = {}, {}
  for _, term in ipairs(system.terms) do
    if term.role == "with" then
      out[term.name] = component.by_name[term.name]
    elseif term.role ~= "without" then
      optional[term.name] = true
    end
  end
  return out, optional
end

local function refused(system, why, line)
  C.native_set_refused(set, system.name, line and ("%s:%d"):format(system.at.file, line) or place(system), why)
end

local function slot_of(loop, key, column)
  if key == "entity" then
    return C.native_loop_entities(loop)
  elseif column.whole then
    return C.native_loop_whole(loop, component.by_name[column.component].id, column.field.column,
      column.written == true)
  elseif column.presence then
    return C.native_loop_presence(loop, component.by_name[column.component].id)
  end
  return C.native_loop_column(loop, component.by_name[column.component].id, column.field.column, column.written == true)
end

-- Where a column that is written is read of an entity as well, which may be one of the rows: it is to be none.
local function add_strangers(system, result)
  for key, entity in pairs(result.others) do
    local column, whole = result.columns[key], result.columns["of others " .. key]
    if column and column.written or whole and whole.written then
      result.checks[#result.checks + 1] = { v = false, fetch = function()
        local id = handle.id(entity.fetch())
        for _, term in ipairs(system.terms) do
          if term.role == "with" and component.by_name[term.name].row_of(id) < 0 then
            return false
          end
        end
        return true
      end }
    end
  end
end

-- → what is needed to run it; nil when it is refused, which is noted, and whether to ask again
local function read(system, form)
  local result, why, line, again = front.read(system.declaration[form], form, components_of(system))
  if not result then
    refused(system, why, line)
    return nil, again
  end
  result.foreign = number.is_foreign()
  add_strangers(system, result)
  local loop = C.native_loop_create(set, system.name, place(system), system.record.query)
  local slot = {}
  for _, key in ipairs(need("sorted")(result.columns)) do
    slot[key] = slot_of(loop, key, result.columns[key])
    if slot[key] < 0 then
      return nil
    end
  end
  for _, item in ipairs(result.lookups) do
    local known = item.component and component.by_name[item.component]
    if C.native_loop_lookup(loop, item.question, known and known.id or 0) < 0 then
      return nil
    end
  end
  local parameters = C.native_loop_parameters(loop, #result.parameters)
  local code = parameters ~= nil and emit.text(result, slot, level, marked)
  if not code or not C.native_loop_compile(loop, code, #code, #result.why > 0) then
    return nil
  end
  return { loop = loop, parameters = parameters, wanted = result.parameters, checks = result.checks }
end

-- Does what it was compiled for still hold? → nil when it does not, false when it does not now. The parameters are
-- those of now, then.
local function ask(made, dt)
  for _, item in ipairs(made.checks) do
    if not rawequal(item.fetch(), item.v) then
      return nil
    end
  end
  for i, item in ipairs(made.wanted) do
    local v = item.key == "dt" and dt or item.fetch()
    if type(v) ~= (item.kind == "boolean" and "boolean" or "number") then
      return nil
    end
    made.parameters[i - 1] = v == true and 1 or v or 0
  end
  return true
end

-- What cannot be asked (of an entity that is gone, say) is Lua's to complain about, where it comes to that.
local function prepare(made, dt)
  local good, holds = pcall(ask, made, dt)
  return good and holds
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
  local made, readings, rests, again, choice = nil, 0, 0, nil, new_choice()
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
    rests = rests - 1
    if not made and rests <= 0 and readings < MOST_READINGS and (count >= LEAST_ROWS or eager) then
      readings = readings + 1
      made, again = read(system, form)
      readings, rests = (made or again) and readings or MOST_READINGS, again and UNTIL_AGAIN or 0
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
