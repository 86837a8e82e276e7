-- Searches for objects that scripts must not reach. tests/scenarios/reachability.sh adds this file to a copy of the
-- engine's Lua code and gives it to a test game as the global `reachability`.
--
-- walk(place, roots) follows what a script can follow: raw tables, visible metatables, members found by indexing,
-- upvalues and environments of functions of scripts, and the results, errors and callback arguments of every function
-- of the engine, called with each kind of value in each of the first five arguments. fuzz(first, count, seconds) makes
-- random calls; call number n depends only on n, so that a run can be resumed.
local need, native = ...
local sandbox = need("load/sandbox")
local handle = need("base/handle")
local abi = need("base/abi")
local phases = need("base/phases")
local ffi, jit = require("ffi"), require("jit")
local M = {}

local MAX_VISITS = 25 -- maximum number of values that are visited under the same path
local MAX_OBJECTS = 2 -- maximum number of objects under the same path whose members are visited
local MAX_DEPTH = 7
local ARGUMENTS = 5

-- --- what scripts must not reach

local forbidden = {}

local function forbid(v, name)
  if (type(v) == "table" or type(v) == "function" or type(v) == "userdata" or type(v) == "thread") and v ~= nil then
    forbidden[v] = forbidden[v] or name
  end
end

local function forbid_library(t, name)
  forbid(t, name)
  for key, v in next, t do
    forbid(v, name .. "." .. tostring(key))
  end
end

for _, name in ipairs { "io", "os", "debug", "package" } do
  forbid_library(_G[name], name)
end
forbid_library(ffi, "ffi")
forbid_library(jit, "jit")
forbid_library(native, "native")
for _, name in ipairs { "string", "table", "math", "coroutine", "bit" } do
  forbid(require(name), "the library " .. name .. " itself")
end
forbid(_G, "the real _G")
forbid(debug.getregistry(), "the registry")
forbid(string.dump, "string.dump")
for _, name in ipairs { "load", "loadstring", "loadfile", "dofile", "getfenv", "setfenv", "newproxy", "module",
  "gcinfo", "require" } do
  forbid(_G[name], "the real " .. name)
end
forbid(ffi.C, "ffi.C")
forbid(abi.C, "abi.C")
forbid(need, "need")
local has_modules = false
for i = 1, 20 do -- finds the table `modules` of boot.lua
  local name, modules = debug.getupvalue(need, i)
  if name == "modules" then
    has_modules = true
    for module, v in next, modules do
      if type(v) == "table" then
        forbid(v, "the module " .. module)
      end
    end
  end
end
assert(has_modules, "need() of scripts/shoal/boot.lua has no upvalue `modules`")
-- shoal.none is safe and deliberately available to scripts.
forbidden[handle.none] = nil

local function find_violation(v)
  if type(v) == "cdata" then
    -- Columns, vectors and components have metamethods; pointers and plain structs do not.
    local good, text = pcall(tostring, v)
    local _, problem = pcall(function() return v.no_such_member end)
    local is_plain = tostring(problem):find("has no member named", 1, true)
    return good and (text:find("^ctype<") or text:find("^cdata<.*%*") or is_plain) and "an FFI object" or nil
  end
  return forbidden[v]
end

-- Functions of LuaJIT's libraries that are written in Lua.
local is_builtin = {}
for _, library in next, package.loaded do
  for _, f in next, type(library) == "table" and library or {} do
    if type(f) == "function" then
      is_builtin[f] = true
    end
  end
end

-- --- the walk

local findings, seen, visits, objects, functions, calls
local visit

local function report_finding(path, what)
  findings[path .. " reaches " .. what] = true
end

-- Returns a callback of a script that passes its arguments to `record`. It returns nil in every second call, so that a
-- function that calls it until it returns nil terminates.
local make_callback = assert(load([[
local record = ...
local is_odd = false
return function(...)
  record(...)
  is_odd = not is_odd
  return is_odd and 1 or nil
end]], "=callback", "t", sandbox.game))
local path_of_call, depth_of_call = "", 0

local callback = make_callback(function(...)
  for i = 1, select("#", ...) do
    visit((select(i, ...)), path_of_call .. "{callback argument " .. i .. "}", depth_of_call + 1)
  end
end)

-- Values that the walk passes to functions; not visited.
local own = need("base/weak_table")("k")
own[callback], own[M] = true, true

local metatable_of_arguments = {}
for _, name in ipairs { "__index", "__newindex", "__call", "__tostring", "__eq", "__lt", "__le", "__concat",
  "__len" } do
  metatable_of_arguments[name] = callback
end
own[metatable_of_arguments] = true

local function new_table()
  local t = { 1, 2, 3 }
  own[t] = true
  return t
end

local function new_thread()
  local thread = sandbox.env.coroutine.create(callback)
  own[thread] = true
  return thread
end

local STRINGS = { "return _G, ...", "t", "debug", "ffi", "transform", "probed", "%s", "" }
local kinds -- list of functions that create a value of each kind

local function collect_kinds()
  local world, shoal = sandbox.env.world, sandbox.env.shoal
  local function try(f)
    local good, v = pcall(f)
    return good and v or nil
  end
  local e = try(function() return world.find("probed") end) or shoal.none
  local q = try(function() return world.query { "transform" } end)
  local column = q and try(function() return q.transform.x end) or shoal.vec3(1, 2, 3)
  local component = try(function() return e.transform end) or shoal.vec4(1, 2, 3, 4)
  kinds = {
    function() return nil end,
    function() return true end,
    function() return 3 end,
    new_table,
    function() return setmetatable(new_table(), metatable_of_arguments) end,
    function() return callback end,
    new_thread,
    function() return e end,
    function() return shoal.vec2(1, 2) end,
    function() return column end,
    function() return component end,
  }
  for _, text in ipairs(STRINGS) do
    kinds[#kinds + 1] = function() return text end
  end
end

local NOT_CALLED = { ["coroutine.yield"] = true }
-- Functions that are slow, because each call collects garbage or opens the saves.
local SLOW = { ["collectgarbage"] = true, ["world.snapshot"] = true, ["world.compare"] = true, ["world.saves"] = true }

local function is_slow(path)
  return SLOW[path:match("%w+%.%w+$") or path]
end

local function visit_results(path, depth, ...)
  local good = (...)
  for i = 2, select("#", ...) do
    visit((select(i, ...)), path .. (good and "()" or "(error)"), depth + 1)
  end
end

-- Visits what the call has stored in its arguments.
local function visit_arguments(path, depth, arguments)
  for i = 1, ARGUMENTS do
    local t = arguments[i]
    if type(t) == "table" and own[t] then
      for _, v in next, t do
        visit(v, path .. "{argument " .. i .. "}", depth + 1)
      end
    end
  end
end

local function call(f, path, depth, arguments)
  calls = calls + 1
  local outer_path, outer_depth = path_of_call, depth_of_call
  path_of_call, depth_of_call = path, depth
  visit_results(path, depth, pcall(f, unpack(arguments, 1, ARGUMENTS)))
  visit_arguments(path, depth, arguments)
  path_of_call, depth_of_call = outer_path, outer_depth
end

-- Calls a function with each kind of value in each argument, while the other arguments are all nil, strings, tables or
-- functions. `self`: the object of a method, passed before the arguments.
local function call_all(f, path, depth, self)
  local offset = self == nil and 0 or 1
  for _, base in ipairs(is_slow(path) and { 1 } or { 1, 12, 4, 6 }) do
    for position = 1 + offset, ARGUMENTS do
      for _, kind in ipairs(kinds) do
        local arguments = { self }
        for i = 1 + offset, ARGUMENTS do
          arguments[i] = (i == position and kind or kinds[base])()
        end
        call(f, path, depth, arguments)
      end
    end
  end
end

local function is_of_script(f)
  local info = debug.getinfo(f, "S")
  return info.what ~= "C" and not info.source:find("^@%[shoal%]") and not is_builtin[f]
end

local function visit_function(f, path, depth, self)
  if NOT_CALLED[path] then
    return
  elseif is_of_script(f) then
    for i = 1, 60 do
      local name, v = debug.getupvalue(f, i)
      if not name then
        break
      end
      visit(v, path .. "{upvalue " .. name .. "}", depth + 1)
    end
    visit(debug.getfenv(f), path .. "{environment}", depth + 1)
    if debug.getinfo(f, "S").source ~= "=callback" and debug.getinfo(f, "S").what == "main" then
      call(f, path, depth, {})
    end
    return
  end
  functions = functions + 1
  call_all(f, path, depth, self)
end

local MEMBERS_OF_CDATA = { "raw", "x", "y", "timer", "land", "entity", "left", "heat", "place" }
local EVIL = { "_G", "__index", "__metatable", "debug", "io", "os", "ffi", "package", "jit", "native", "C", "abi",
  "dump", "meta", "functions", "api", "data", "record", 1, true }

-- Returns the names that the members of an object may have: the keys of tables that its metatable's functions use.
local function names_of(metatable)
  local names = {}
  local function add(t)
    for key in next, t do
      if type(key) == "string" then
        names[key] = true
      end
    end
  end
  for _, f in next, metatable do
    if type(f) == "table" then
      add(f)
    elseif type(f) == "function" then
      for i = 1, 60 do
        local name, v = debug.getupvalue(f, i)
        if not name then
          break
        elseif type(v) == "table" then
          add(v)
        end
      end
    end
  end
  for _, name in ipairs(EVIL) do
    names[name] = true
  end
  return names
end

local MEMBERS_OF_CDATA_BY_NAME = {}
for _, name in ipairs(MEMBERS_OF_CDATA) do
  MEMBERS_OF_CDATA_BY_NAME[name] = true
end

local function index(object, name) return object[name] end

-- Methods that destroy the object are called last.
local DESTROYS = { destroy = true, destroy_all = true, remove = true }

local function is_earlier(a, b)
  if (DESTROYS[a] or false) ~= (DESTROYS[b] or false) then
    return not DESTROYS[a]
  end
  return tostring(a) < tostring(b)
end

local function order(names)
  local list_of_names = {}
  for name in next, names do
    list_of_names[#list_of_names + 1] = name
  end
  table.sort(list_of_names, is_earlier)
  return list_of_names
end

local function visit_members(object, path, depth, metatable)
  for _, name in ipairs(order(names_of(metatable))) do
    local good, member = pcall(index, object, name)
    local inner = path .. "." .. tostring(name)
    if good and type(member) == "function" and type(object) ~= "table" then
      if not seen[member] then
        seen[member] = true
        local wrong = find_violation(member)
        if wrong then
          report_finding(inner, wrong)
        else
          visit_function(member, inner, depth + 1, object)
        end
      end
    elseif good then
      visit(member, inner, depth + 1)
    end
  end
end

local function visit_table(t, path, depth)
  for key, v in next, t do
    visit(key, path .. "{key}", depth + 1)
    visit(v, path .. "." .. (type(key) == "string" and key or "[" .. type(key) .. "]"), depth + 1)
  end
end

-- Counts an object under the path. Returns true if its members must be visited.
local function count_object(path)
  objects[path] = (objects[path] or 0) + 1
  return objects[path] <= MAX_OBJECTS
end

local function visit_object(v, path, depth)
  if type(v) == "table" then
    visit_table(v, path, depth)
  end
  local metatable = debug.getmetatable(v)
  if not metatable then
    return
  elseif rawget(metatable, "__metatable") == nil then
    visit(metatable, path .. "{metatable}", depth + 1)
  end
  if count_object(path) then
    visit_members(v, path, depth, metatable)
    if rawget(metatable, "__call") and type(v) == "table" then
      functions = functions + 1
      call_all(v, path, depth)
    end
  end
end

visit = function(v, path, depth)
  local kind = type(v)
  if kind == "nil" or kind == "boolean" or kind == "number" or kind == "string" then
    return
  end
  local wrong = find_violation(v)
  if wrong then
    report_finding(path, wrong)
    return
  elseif kind == "cdata" then
    if depth <= MAX_DEPTH and count_object(path) then
      visit_members(v, path, depth, { MEMBERS_OF_CDATA_BY_NAME })
    end
    return
  elseif own[v] or seen[v] or depth > MAX_DEPTH then
    return
  end
  visits[path] = (visits[path] or 0) + 1
  if visits[path] > MAX_VISITS and not (kind == "function" and is_of_script(v)) then
    return
  end
  seen[v] = true
  if kind == "function" then
    local again = path:find("%(%)$") and visits[path] > 1 -- a second closure of the same function
    if not again or is_of_script(v) then
      visit_function(v, path, depth)
    end
  else
    visit_object(v, path, depth)
  end
end

local function report(place)
  local list = {}
  for line in next, findings do
    list[#list + 1] = line
  end
  table.sort(list)
  for _, line in ipairs(list) do
    native.print("found in " .. place .. ": " .. line)
  end
  native.print(("reachability %s: %d functions, %d calls, %d findings"):format(place, functions, calls, #list))
end

-- Walks from `roots` and prints the findings.
---@param place string
---@param roots table<string, any>
function M.walk(place, roots)
  findings, seen, visits, objects, functions, calls = {}, {}, {}, {}, 0, 0
  collect_kinds()
  if not roots._G then -- the globals are walked separately
    seen[sandbox.game] = true
  end
  local names = {}
  for name in next, roots do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    -- The globals are visited under their names as scripts see them.
    if name == "_G" then
      for _, global in ipairs(need("base/sorted_keys")(sandbox.env)) do
        if global ~= "reachability" and global ~= "_G" then
          visit(sandbox.env[global], global, 1)
        end
      end
      visit(debug.getmetatable("").__index, "string methods", 1)
      visit_members("x", "(\"\")", 1, debug.getmetatable("")) -- also visits the members reached by indexing a string
    end
    if name ~= "_G" then
      visit(roots[name], name, 0)
    end
  end
  report(place)
end

-- --- random calls

local list -- functions by name, sorted

local function collect_functions()
  list = {}
  local e = sandbox.env.world.find("probed")
  for name in next, phases.list_rows() do
    local library, member = name:match("^(.*)[.:]([%w_]+)$")
    local f
    if library == "e" then
      f = e[member]
    elseif library == nil then
      f = rawget(sandbox.env, name)
    elseif not name:find(":", 1, true) then
      local t = sandbox.game
      for part in library:gmatch("[%w_]+") do
        t = t and select(2, pcall(index, t, part))
      end
      local good, v = pcall(index, t, member)
      f = good and v
    end
    if type(f) == "function" then
      list[#list + 1] = { name = name, f = f }
    end
  end
  for _, library in ipairs { "string", "table", "math", "bit", "coroutine", "json", "utf8", "log" } do
    for name in next, names_of(debug.getmetatable(sandbox.env[library]) or { sandbox.env[library] }) do
      local good, f = pcall(index, sandbox.env[library], name)
      if good and type(f) == "function" and not NOT_CALLED[library .. "." .. tostring(name)] then
        list[#list + 1] = { name = library .. "." .. tostring(name), f = f }
      end
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
end

-- Functions that are slow, or whose effect would end the run.
local SKIPPED = { collectgarbage = true, print = true, ["world.snapshot"] = true, ["world.compare"] = true,
  ["world.spawn_many"] = true, ["world.emit_many"] = true, ["world.export"] = true, ["world.hash"] = true }

-- Makes the random calls `first` to first + count - 1, but for at most `seconds`. Prints the number of the next call.
---@param first integer
---@param count integer
---@param seconds number maximum processor time
function M.fuzz(first, count, seconds)
  findings, seen, visits, objects, functions, calls = {}, {}, {}, {}, 0, 0
  collect_kinds()
  collect_functions()
  local last, limit = first + count - 1, os.clock() + seconds
  local at = first
  while at <= last and (at % 64 ~= 0 or os.clock() < limit) do
    local random = at * 48271 % 2147483647
    local function pick(n)
      random = (random * 48271 + 11) % 2147483647
      return math.floor(random / 2147483647 * n) + 1
    end
    pick(7)
    local item = list[pick(#list)]
    if SKIPPED[item.name] then
      item = list[1]
    end
    local arguments = {}
    for i = 1, pick(ARGUMENTS + 1) - 1 do
      arguments[i] = kinds[pick(#kinds)]()
    end
    path_of_call, depth_of_call = item.name, MAX_DEPTH - 1
    visit_results(item.name, MAX_DEPTH - 1, pcall(item.f, unpack(arguments, 1, ARGUMENTS)))
    if at % 512 == 0 then -- lets the values of earlier calls be collected
      seen, visits = {}, {}
    end
    at = at + 1
  end
  report("fuzz")
  native.print("next call " .. at)
end

own[M.walk], own[M.fuzz] = true, true
return M
