-- The environment of game files, a whitelist: read-only copies of the safe part of the standard library, and the
-- engine's API. It excludes ffi, io, os, debug, package, bytecode, environments, and everything that would make runs
-- differ: pairs iterates in sorted order, world.random is the only source of random numbers, and addresses are hidden.
local need, native = ...
local abi = need("base/abi")
local cache = need("base/cache")
local protected_call = need("base/protected_call")
local handle = need("base/handle")
local handle_list = need("base/handle_list")
local hidden_state = need("base/hidden_state")
local json = need("base/json")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sort = need("base/sort")
local state = need("base/vm_state")
local utf8 = need("base/utf8")
local weak_table = need("base/weak_table")
local symbolic_exec = need("compile/symbolic_exec")
local cockpit = need("kit/cockpit")
local actions = need("kit/input")
local music = need("kit/music")
local players = need("kit/players")
local settings = need("kit/settings")
local game_strings = need("kit/game_strings")
local exact = need("math/exact")
local matrix = need("math/matrix")
local vectors = need("math/vector").api
local asset_files = need("media/assets")
local audio = need("media/audio")
local draw = need("media/draw")
local window = need("media/window")
local advice = need("messages/advice")
local read_only = need("messages/read_only")
local column = need("schema/column")
local components = need("schema/component")
local list = need("schema/list")
local types = need("schema/types")
local chronicle = need("world/chronicle")
local timers_and_tweens = need("world/timers_and_tweens")
local plugins = need("world/plugins")
local world = need("world/world")
-- These files add functions to `world`.
need("systems/groups")
need("kit/options")
need("kit/entity_json")
need("kit/saves")
need("kit/scene")
need("kit/ui")
local C, W = abi.C, abi.world

---@class engine.sandbox
---@field env table<string, any> the globals of game files, writable by this file
---@field game table<string, any> the globals as game files see them: unknown names are errors
---@field LIBRARIES string[] names of the Lua libraries that scripts can use
local M = {}

-- --- deterministic order

local RANK = { number = 1, string = 2, boolean = 3, userdata = 4 }

local function is_before(a, b)
  local ra, rb = RANK[type(a)] or 9, RANK[type(b)] or 9
  if ra ~= rb then
    return ra < rb
  elseif ra == 4 then
    return (handle.get_id(a) or 0) < (handle.get_id(b) or 0)
  elseif ra <= 2 then
    return a < b
  end
  return ra == 3 and b and not a
end

local function sorted_keys(t)
  local keys, are_sortable = {}, true
  for key in next, t do
    local rank = RANK[type(key)]
    if not rank then
      are_sortable = false
    end
    keys[#keys + 1] = key
  end
  if not are_sortable then
    report.raise("pairs: keys must be numbers, strings, booleans or entities: tables and functions have no order")
  end
  table.sort(keys, is_before)
  return keys
end

-- Maps read-only proxies to their contents: libraries to their functions, tables from data files to their fields.
local contents = setmetatable({}, { __index = json.behind })

local function sorted_pairs(t)
  t = contents[t] or t
  if type(t) ~= "table" then
    report.raise("pairs: expected a table, got %s", report.describe(t))
  end
  local keys, i = sorted_keys(t), 0
  return hidden_state.register_iterator(function()
    local v
    repeat
      i = i + 1
      v = keys[i] ~= nil and rawget(t, keys[i])
    until v ~= nil
    if keys[i] ~= nil then
      return keys[i], v
    end
  end), t, nil
end

local function sorted_foreach(t, f)
  if type(f) ~= "function" then
    report.raise("table.foreach: expected a function, got %s", report.describe(f))
  end
  for key, v in sorted_pairs(t) do
    local result = f(key, v)
    if result ~= nil then
      return result
    end
  end
end

-- Implements `next`: returns the key after `key` in sorted order, and its value. Sorts all keys on every call, except
-- for an empty table; scripts need `next` only for tests such as `next(t) == nil`.
local function sorted_next(t, key)
  t = contents[t] or t
  if type(t) ~= "table" then
    report.raise("next: expected a table, got %s", report.describe(t))
  elseif key == nil and next(t) == nil then
    return nil
  end
  local keys = sorted_keys(t)
  for i = 1, #keys do
    if key == nil or is_before(key, keys[i]) then
      return keys[i], rawget(t, keys[i])
    end
  end
  return nil
end

local MAX_CHECKED_FORMATS = 256
-- Set of the formats that have been found to contain no %p, and their number.
local checked_formats, checked_count = {}, 0

local function check_format(format)
  if type(format) ~= "string" or checked_formats[format] then
    return
  end
  if format:find("p", 1, true) and format:gsub("%%%%", ""):find("%%[%d%.#+ -]*p") then
    report.raise("string.format: %p is not supported, because addresses differ from run to run: remove it")
  end
  if checked_count < MAX_CHECKED_FORMATS then
    checked_formats[format], checked_count = true, checked_count + 1
  end
end

-- Implements string.format for scripts. Rejects %p and hides addresses, which differ between runs, and prints numbers
-- identically on every processor.
local function format_string(format, ...)
  check_format(format)
  if exact.are_plain(select("#", ...), ...) then
    return string.format(format, ...)
  end
  return report.format(format, exact.prepare_format_arguments(format, ...))
end

-- Wraps the library function `f`, which writes to a table and bypasses its metatable. The wrapper raises an error if
-- the table belongs to the engine or was created at load time, and fills a list of entities (base/handle_list.lua)
-- first.
local function wrap_with_table_check(name, f)
  return function(t, ...)
    hidden_state.reject_frozen_table(t, name)
    handle_list.require_filled(t)
    return f(t, ...)
  end
end

local function set_metatable(t, metatable)
  if type(t) ~= "table" then
    report.raise("setmetatable: expected a table, got %s", report.describe(t))
  elseif metatable ~= nil and type(metatable) ~= "table" then
    report.raise("setmetatable: the metatable must be a table or nil, got %s", report.describe(metatable))
  end
  if metatable and not state.loading and rawget(metatable, "__mode") ~= nil then
    cache.record_weak_call()
  end
  return setmetatable(t, metatable)
end

-- --- errors that scripts catch

-- Returns the results of a pcall. Replaces numbers in its error that differ between runs.
local function normalize_error(ok, ...)
  if ok then
    return true, ...
  end
  return false, report.remove_type_numbers((...))
end

-- Restores the add-on of the code that called pcall: the error may come from another add-on.
local function return_caught_error(addon, ...)
  scope.set(addon)
  return normalize_error(...)
end

local function call_protected(f, ...)
  return return_caught_error(scope.current, pcall(f, ...))
end

local function call_with_handler(f, handler, ...)
  if type(handler) ~= "function" then
    report.raise("xpcall: the handler must be a function, got %s", report.describe(handler))
  end
  return return_caught_error(scope.current, xpcall(f, protected_call.wrap_handler(handler), ...))
end

-- --- coroutines

-- The position in a coroutine is not part of the world, so a coroutine ends with the tick that created it.
local created_at = weak_table("k") -- coroutine → tick of its creation; -1: while loading

local function get_tick()
  return state.loading and -1 or C.view_tick(W)
end

local function create_coroutine(f)
  if type(f) ~= "function" then
    report.raise("coroutine.create: expected a function, got %s", report.describe(f))
  end
  local thread = coroutine.create(f)
  created_at[thread] = get_tick()
  return thread
end

local function check_tick(tick)
  if tick ~= get_tick() and not state.tests then
    report.raise("this coroutine was created %s and cannot outlive its tick, because coroutines are not rewound, "
      .. "saved or replayed: use a sequence, e:sequence(\"intro\") with sequences/intro.lua, or keep its progress "
      .. "in a component's field",
      tick < 0 and "while files were loaded" or "in tick " .. tick)
  end
end

-- Returns true while an additional VM loads the files: only the first VM prints the messages of main chunks.
local function is_silent()
  return native.is_silent and state.loading
end

local function print_line(...)
  if is_silent() then
    return
  end
  local out = {}
  for i = 1, select("#", ...) do
    out[i] = report.show((select(i, ...)))
  end
  native.print(table.concat(out, "\t"))
end

-- --- the whitelist

local function copy(source, excluded)
  local out = {}
  for name, v in pairs(source) do
    if not (excluded and excluded[name]) then
      out[name] = v
    end
  end
  return out
end

local function reject_random()
  report.raise("math.random is not available: use world.random, which is saved and replayed")
end

local shoal_math = {
  min = exact.get_min, max = exact.get_max, abs = math.abs, sqrt = math.sqrt, floor = math.floor,
}

function shoal_math.clamp(v, low, high)
  return shoal_math.min(shoal_math.max(v, low), high)
end

function shoal_math.lerp(a, b, t)
  return a + (b - a) * t
end

-- Wraps ipairs or pairs. Passing a query, a column or an entity raises an error that names the alternative.
local function wrap_iterator(name, f)
  return function(t)
    local values = list.get_values(t)
    if values then
      return f(values)
    end
    if type(t) == "table" and column.get_contents(t) or type(t) == "cdata" and column.get_count(t) then
      report.raise("%s: expected a table, got a query or a column: use for i = 1, q.count do … q.transform.x[i] "
        .. "… end", name)
    elseif type(t) == "userdata" then
      report.raise("%s: expected a table, got an entity: use e:describe()", name)
    elseif type(t) == "function" then
      report.raise("%s: expected a table, got a function: call world.each without %s: for e in world.each(…)", name,
        name)
    end
    handle_list.require_filled(t)
    return f(t)
  end
end

local env = {}
M.env = env

-- Implements `load`. Loads only source code, because bytecode could break out of the sandbox. The chunk gets the
-- environment of game files unless the script passes an environment.
local function load_text(chunk, chunk_name, mode, chunk_env)
  if chunk_name ~= nil and type(chunk_name) ~= "string" then
    report.raise("load: the chunk name must be a string, got %s", report.describe(chunk_name))
  elseif chunk_name and chunk_name:find("^[@=]?%[shoal%]") then
    report.raise("load: chunk names that begin with [shoal]/ are reserved: choose a different name")
  elseif mode ~= nil and type(mode) ~= "string" then
    report.raise("load: the mode must be a string, got %s: use \"t\"", report.describe(mode))
  elseif chunk_env ~= nil and type(chunk_env) ~= "table" then
    -- LuaJIT ignores other values and would run the chunk with the real globals.
    report.raise("load: the environment must be a table, got %s", report.describe(chunk_env))
  end
  if type(chunk) == "function" then
    local parts = {}
    for part in chunk do
      if type(part) ~= "string" then
        report.raise("load: the function must return strings, and nil at the end, got %s", report.describe(part))
      end
      parts[#parts + 1] = part
    end
    chunk = table.concat(parts)
  elseif type(chunk) ~= "string" then
    report.raise("load: expected a string or a function that returns strings, got %s", report.describe(chunk))
  end
  return load(chunk, chunk_name or "=load", "t", chunk_env or M.game)
end

local function copy_exact(name)
  local out = copy(require(name), { dump = true })
  for function_name, f in pairs(exact[name]) do
    out[function_name] = f
  end
  return out
end

local mathematics = copy_exact("math")
mathematics.random, mathematics.randomseed = reject_random, reject_random

for _, name in ipairs { "assert", "error", "ipairs", "select", "tonumber", "type", "unpack", "rawequal", "rawget",
  "getmetatable" } do
  env[name] = exact.base[name] or _G[name]
end
env._VERSION = _VERSION
env.pcall, env.xpcall = call_protected, call_with_handler
env.rawset, env.setmetatable = wrap_with_table_check("rawset", rawset), set_metatable
env.pairs, env.next, env.tostring, env.print = sorted_pairs, sorted_next, report.show, print_line
env.load, env.loadstring = load_text, load_text
env.string = copy_exact("string")
env.string.format = format_string
env.table, env.coroutine, env.math, env.bit = copy_exact("table"), copy(coroutine), mathematics, copy_exact("bit")
local gmatch = env.string.gmatch
env.string.gmatch = function(s, pattern)
  return hidden_state.register_iterator(gmatch(s, pattern))
end
-- Options that control the collector do nothing: the engine schedules garbage collection.
env.collectgarbage = function(option)
  if option ~= nil and type(option) ~= "string" then
    report.raise("collectgarbage: the option must be a string, got %s", report.describe(option))
  elseif option == "count" and not state.tests then
    report.raise("collectgarbage: memory use differs from run to run: use --stats")
  end
  return (option == nil or option == "collect" or option == "count") and collectgarbage(option) or 0
end
env.table.unpack, env.table.foreach = env.unpack, sorted_foreach
env.table.clear = nil -- would empty frozen tables; base/string_table.lua has created it with require
local move = env.table.move
env.table.move = function(source, first, last, index, target)
  hidden_state.reject_frozen_table(target or source, "table.move")
  return move(source, first, last, index, target)
end
-- Implements `rawget`. Like `pairs`, reads through the engine's read-only proxies, so that rawget(_G, "pairs") works in
-- libraries.
local rawget_plain = env.rawget
env.rawget = function(t, key)
  return rawget_plain(contents[t] or t, key)
end
-- A metamethod fills a list of entities on first access (base/handle_list.lua). The following functions bypass
-- metatables, so they are wrapped to fill the list first.
for name, f in pairs(env.table) do
  local is_changing = name == "insert" or name == "remove" or name == "sort"
  env.table[name] = is_changing and wrap_with_table_check("table." .. name, f) or handle_list.wrap_to_fill(f)
end
for _, name in ipairs { "next", "unpack", "rawget", "setmetatable", "getmetatable" } do
  env[name] = handle_list.wrap_to_fill(env[name])
end
env.ipairs, env.pairs = wrap_iterator("ipairs", env.ipairs), wrap_iterator("pairs", env.pairs)
local wrap_with_stack_check = protected_call.wrap_with_stack_check
env.string.gsub, env.table.foreachi = wrap_with_stack_check(env.string.gsub), wrap_with_stack_check(env.table.foreachi)
local sort_values = wrap_with_stack_check(env.table.sort) -- table.sort calls metamethods from C
env.table.sort = function(t, is_less)
  if type(t) ~= "table" or type(is_less) ~= "function" then
    return sort_values(t, is_less)
  end
  hidden_state.reject_frozen_table(t, "table.sort")
  handle_list.require_filled(t)
  if not sort.sort(t, is_less) then
    error("invalid order function for sorting", 2)
  end
end

local function end_resume(...)
  state.coroutine_depth = state.coroutine_depth - 1
  return ...
end
local resume = wrap_with_stack_check(function(thread, ...)
  state.coroutine_depth = state.coroutine_depth + 1
  return end_resume(coroutine.resume(thread, ...))
end)
env.coroutine.create = create_coroutine
local yield = coroutine.yield
env.coroutine.yield = function(...)
  if not coroutine.running() then
    report.raise("coroutine.yield: called outside a coroutine: systems, handlers and behaviours cannot be suspended: "
      .. "use every = 6 (ticks), world.after(2, \"event\") or a sequence, e:sequence(\"intro\")")
  end
  return yield(...)
end
env.coroutine.resume = function(thread, ...)
  if type(thread) ~= "thread" then
    report.raise("coroutine.resume: expected a coroutine, got %s", report.describe(thread))
  elseif created_at[thread] then
    check_tick(created_at[thread])
  end
  return normalize_error(resume(thread, ...))
end

-- Returns the results of a coroutine, or rethrows its error unchanged. LuaJIT's coroutine.wrap would add a location in
-- front of the error, so an error that passes through nested coroutines would accumulate locations.
local function return_or_rethrow(ok, ...)
  if ok then
    return ...
  end
  error((...), 0)
end

env.coroutine.wrap = function(f)
  if type(f) ~= "function" then
    report.raise("coroutine.wrap: expected a function, got %s", report.describe(f))
  end
  local thread, tick = coroutine.create(f), get_tick()
  return hidden_state.register_iterator(function(...)
    check_tick(tick)
    return return_or_rethrow(resume(thread, ...))
  end)
end
-- Replaces the string methods, such as s:find, for scripts and for the engine's own Lua.
getmetatable("").__index = copy(env.string)
getmetatable("").__metatable = false

M.LIBRARIES = { "string", "table", "math", "bit", "coroutine" }

-- Makes the shared libraries read-only.
for _, name in ipairs(M.LIBRARIES) do
  local library = env[name]
  env[name] = setmetatable({}, {
    __index = library,
    __newindex = function(_, key)
      report.raise("%s.%s cannot be assigned: the library is shared: put your function into a module, "
        .. "lib/NAME.lua, and load it with require", name, report.show(key))
    end,
    __metatable = false,
  })
  contents[env[name]] = library
end

local math_api = read_only(shoal_math, "shoal.math")
contents[math_api] = shoal_math
env.shoal = read_only({ types = types.types, none = handle.none, math = math_api, cache = cache.create,
  plugins = plugins.api, vec2 = vectors.vec2, vec3 = vectors.vec3, vec4 = vectors.vec4,
  quat = vectors.quat, mat4 = matrix.api,
  ease = function(name, t) return timers_and_tweens.ease(name, t) end,
  cockpit = function(...) return cockpit.api(...) end }, "shoal")
env.input = read_only(copy(actions.api), "input")
env.players = read_only(copy(players.api), "players")
env.draw = read_only(copy(draw, { reset = true }), "draw")
env.audio = read_only(copy(audio, { restart_numbering = true, declare_buses = true, is_bus = true, is_lowpass = true,
  format_bus_suggestion = true }), "audio")
env.music = read_only(music.api, "music")
env.window = read_only(window, "window")
env.utf8 = copy(utf8)
env.utf8.codes = function(s)
  local next_code, text, position = utf8.codes(s)
  return hidden_state.register_iterator(next_code), text, position
end
env.log = read_only(log, "log")
env.json = read_only(copy(json, { round_to_shortest_f32 = true, behind = true, lists = true, EMPTY_LIST = true }),
  "json")
env.assets = read_only(copy(asset_files), "assets")
env.chronicle = read_only(chronicle.api, "chronicle")
env.world = world.api
env.settings = settings.api
env.tr = game_strings.api
env.reload = function()
  phases.check("reload")
  abi.requests.reload = true
end

-- Class libraries look for this global (https://github.com/bartbes/Class-Commons); if it is false, they do not declare
-- it.
M.PROBED_GLOBALS = { class_commons = false }

-- Returns true if game files can read a global of this name.
---@param name string
---@return boolean
function M.is_global(name)
  return env[name] ~= nil or M.PROBED_GLOBALS[name] ~= nil
end

local function reject_assignment(_, name)
  report.raise("cannot assign the global %s: write local %s = …, or keep the value in a component or a singleton",
    report.show(name), report.show(name))
end

-- The globals of game files. Reading an unknown global, or assigning to any global, raises an error.
M.game = setmetatable({}, {
  __index = function(_, name)
    local v = env[name]
    if v == nil and M.PROBED_GLOBALS[name] ~= nil then
      return M.PROBED_GLOBALS[name]
    elseif v == nil then
      report.raise("unknown global %s%s", report.show(name), advice.find_global_hint(name, env, components.by_name))
    end
    return v
  end,
  __newindex = reject_assignment,
  __metatable = false,
})

-- Creates the globals of a file that may use some unknown globals as nil (load/missing_globals.lua).
---@param allowed table<string, boolean> set of these globals' names
---@return table environment
function M.create_environment(allowed)
  local globals = {}
  contents[globals] = env
  return setmetatable(globals, {
    __index = function(_, name)
      if name == "_G" then
        return globals
      end
      local v = env[name]
      if v ~= nil or allowed[name] then
        return v
      end
      return M.game[name]
    end,
    __newindex = reject_assignment,
    __metatable = false,
  })
end

env._G = M.game
phases.require_rows("", env)
phases.require_rows("world.", world.functions)
phases.require_rows("players.", players.api)
for _, name in ipairs(M.LIBRARIES) do
  phases.require_rows(name .. ".", contents[env[name]])
end
phases.require_rows("utf8.", env.utf8)
contents[M.game] = env
symbolic_exec.set_globals(env)

-- Adds the global `menu`, for the menu only.
---@param api engine.menu
function M.add_menu(api)
  env.menu = read_only(api, "menu")
end

-- Adds the global `lobby`, for the lobby of matches only.
---@param api engine.lobby
function M.add_lobby(api)
  env.lobby = read_only(api, "lobby")
end

return M
