-- Batches of random calls to every function that scripts can reach. The functions are found by walking the tables from
-- _G; their parameters come from the definitions for editors (tests/fuzz/signatures.lua) and, for Lua's own functions,
-- from the table below. Each batch is generated from a single number: from the world's random stream or, where the
-- stream is not available, from the tick.
local settings, signatures, values = require("config"), require("signatures"), require("values")

local M = {}

-- Functions that are slow by design for large numbers: their arguments are small numbers.
local MODEST = { "rep", "move", "unpack", "concat", "spawn_many", "emit_many", "polygon", "compare", "foreachi",
  "insert", "load", "nearest", "within", "path" }
-- Functions that quit, pause, reload or restart the game. They are not called here; scenarios/reentrancy.sh calls them
-- separately.
local ENDING = { quit = true, pause = true, reload = true, restart = true }
-- Functions that are called only in `start`: in a system they would repeat the tick forever.
local BACK = { ["world.restore"] = true, ["world.load"] = true }
local DEPTH = 4 -- maximum nesting of tables

local TEXT, NUMBER, ANY = { "", "text" }, { "", "number" }, { "", "any" }
local TABLE, FUNCTION = { "", "table" }, { "", "function" }
local LUA = {
  ["string.gsub"] = { { "subject", "text" }, { "pattern", "text" }, FUNCTION }, ["string.gmatch"] = { TEXT, TEXT },
  ["string.rep"] = { TEXT, NUMBER, TEXT },
  ["string.format"] = { TEXT, ANY, TABLE },
  ["table.sort"] = { TABLE, FUNCTION }, ["table.foreach"] = { TABLE, FUNCTION },
  ["table.foreachi"] = { TABLE, FUNCTION },
  ["table.concat"] = { TABLE, TEXT }, ["table.insert"] = { TABLE, ANY }, ["table.remove"] = { TABLE },
  ["table.move"] = { TABLE, NUMBER, NUMBER, NUMBER, TABLE }, ["table.unpack"] = { TABLE }, ["table.maxn"] = { TABLE },
  ["coroutine.wrap"] = { FUNCTION }, ["coroutine.create"] = { FUNCTION }, ["coroutine.resume"] = { ANY, TABLE },
  load = { FUNCTION, TEXT, TEXT, TABLE }, loadstring = { FUNCTION, TEXT }, pcall = { FUNCTION, TABLE },
  xpcall = { FUNCTION, FUNCTION, TABLE }, error = { TABLE }, tostring = { TABLE }, print = { TABLE },
  pairs = { TABLE }, ipairs = { TABLE }, next = { TABLE }, unpack = { TABLE, NUMBER, NUMBER },
  setmetatable = { TABLE, TABLE }, getmetatable = { TABLE }, rawget = { TABLE, ANY }, rawset = { TABLE, ANY, ANY },
  rawequal = { TABLE, TABLE },
  assert = { ANY, TABLE }, select = { NUMBER, TABLE },
}

-- Lehmer's random generator: it has a full period and uses only exact integers.
local function make_random_stream(seed)
  local state = seed % 2147483646 + 1
  return function(n)
    state = state * 48271 % 2147483647
    return math.floor(state / 2147483647 * n) + 1
  end
end

-- Returns the names in a table. Engine tables list their names in the error message for an unknown name.
local function list_names(t)
  local out = {}
  for name in pairs(t) do
    out[#out + 1] = name
  end
  local _, words = pcall(function() return t.no_such_name_at_all end)
  for name in tostring(words):gsub("^.*available: ", ""):gmatch("[%a_][%w_]*") do
    out[#out + 1] = name
  end
  return out
end

local function contains(list, v)
  for _, item in ipairs(list) do
    if item == v then
      return true
    end
  end
  return false
end

local function add_function(functions, path, name, call)
  functions[#functions + 1] = { name = path, call = call, takes = signatures[path] or LUA[path] or {},
    modest = contains(MODEST, name) }
end

local function collect_functions(functions, seen, path, t, depth)
  for _, name in ipairs(list_names(t)) do
    local good, found = pcall(function() return t[name] end)
    local inner = path == "" and name or path .. "." .. tostring(name)
    if good and not ENDING[name] and not seen[inner] then
      seen[inner] = true
      if type(found) == "function" or path == "shoal.types" then
        add_function(functions, inner, name, found)
      elseif type(found) == "table" and found ~= _G and depth < DEPTH and inner ~= "world.single" then
        collect_functions(functions, seen, inner, found, depth + 1)
      end
    end
  end
end

-- Adds methods to `functions`. They are mostly called with an object of their own class.
local function collect_methods(functions)
  for path, takes in pairs(signatures) do
    local class, name = path:match("^(%w+):(.*)$")
    if class then
      local all = { { "of", class:lower() }, { "self", class:lower() } }
      for i, parameter in ipairs(takes) do
        all[i + 2] = parameter
      end
      local function call(of, self, ...)
        return of[name](self, ...)
      end
      functions[#functions + 1] = { name = path, call = call, takes = all, modest = false }
    end
  end
  functions[#functions + 1] = { name = "read", call = function(t, a, b, c)
    local first = t[a]
    return b ~= nil and first[b] or first, c
  end, takes = { { "", "place" }, TEXT } }
  functions[#functions + 1] = { name = "store", call = function(t, a, b)
    t[a] = b
  end, takes = { { "", "place" }, TEXT, TABLE } }
end

function M.functions()
  local functions = {}
  collect_functions(functions, {}, "", _G, 0)
  collect_methods(functions)
  return functions
end

local function refill_entities(made, where)
  if where == "panel" then
    for e in world.each("small") do
      made.entities[#made.entities % 12 + 1] = e
    end
  end
  if where == "render" or where == "panel" then
    return
  end
  if world.count("small") > 6000 then
    for e in world.each("small") do
      e:destroy()
    end
  end
  for i = 1, 12 do
    if not world.alive(made.entities[i]) then
      made.entities[i] = world.spawn(i % 2 == 0 and "rich" or "thing")
    end
  end
end

local function takes_code(item)
  for _, parameter in ipairs(item.takes) do
    if parameter[2] == "function" or parameter[2] == "table" or parameter[2] == "any" then
      return true
    end
  end
  return false
end

-- Wraps world.system so that the system is enabled again after the call, because systems make the other calls.
local function keep_enabled(f)
  return function(...)
    local good, on = pcall(f, ...)
    pcall(f, (...), true)
    return good and on
  end
end

local function select_functions(functions, where)
  local out = {}
  for _, item in ipairs(functions) do
    if where ~= "start" and BACK[item.name] then
      item.call = type
    elseif item.name == "world.system" then
      item.call = keep_enabled(item.call)
    end
    if (not settings.callbacks or takes_code(item)) and (settings.only or item.name) == item.name then
      out[#out + 1] = item
    end
  end
  return out
end

-- Wraps a reader function passed to `load` so that it returns nil after a few calls.
local function limit_calls(f)
  local n = 0
  return function(...)
    n = n + 1
    return n < 5 and f(...) or nil
  end
end

local function make_call(made, item)
  local takes = item.takes
  local a, b, c, d, e, f = made.argument(takes[1]), made.argument(takes[2]), made.argument(takes[3]),
    made.argument(takes[4]), made.argument(takes[5]), nil
  if takes[6] then -- only panel:slider has six parameters
    f = made.argument(takes[6])
  end
  if item.name:find("^load") and type(a) == "function" then
    a = limit_calls(a)
  end
  function made.again()
    return item.call(a, b, c, d, e, f)
  end
  return made.again()
end

-- Makes one call, sometimes in a coroutine.
local function try_call(pick, made, item)
  if pick(settings.callbacks and 4 or 8) > 1 then
    return pcall(make_call, made, item)
  end
  local thread = coroutine.create(make_call)
  local good, result = coroutine.resume(thread, made, item)
  if pick(2) == 1 then
    pcall(coroutine.resume, thread, 1)
  end
  return good, result
end

-- Makes `calls` random calls. Most of them are expected to fail.
function M.batch(where, calls, view, panel)
  if calls == 0 then
    return
  end
  local reads = where == "render" or where == "panel"
  local pick = make_random_stream(reads and world.tick * 7919 + 13 or world.random(2147483646))
  local functions = M.functions()
  local wanted = select_functions(functions, where)
  if #wanted == 0 then
    return
  end
  local made = values.make_generator(pick, functions, where, view)
  made.panel = panel
  local fine = 0
  for n = 1, calls do
    local item = wanted[pick(#wanted)]
    made.acts, made.item, made.modest, made.deep = 0, item.name, item.modest, settings.deep and pick(25) == 1
    if n % 50 == 1 then
      refill_entities(made, where)
    end
    if settings.log_calls then
      log.warn("%s %d: call %d of %s", where, world.tick, n, item.name)
    end
    local good, result = try_call(pick, made, item)
    fine = fine + (good and 1 or 0)
    if good and result ~= nil then
      made.keep(result)
    end
  end
  print(("calls %d"):format(calls))
  if panel then
    print(("drawn %d"):format(fine))
  end
  for _, item in ipairs(wanted) do
    if settings.callbacks then
      print(("ran %d within %s"):format(made.ran[item.name] or 0, item.name))
    end
  end
end

return M
