-- What game files can see. A whitelist: the safe part of the standard library, as copies (a script cannot change what others see), and
-- the engine's API. Left out: ffi, io, os, debug, package, bytecode, environments, and whatever would make two runs differ: pairs
-- goes in sorted order, chance comes from world.random alone, addresses do not show.
local need, native = ...
local abi, handle, handles, node, report, state, types =
  need("abi"), need("handle"), need("handles"), need("kernel/node"), need("report"), need("state"), need("types")
local parallel, read_only = need("parallel"), need("read_only")
local C = abi.C

local M = {}

-- --- order

local RANK = { number = 1, string = 2, boolean = 3, userdata = 4 }

local function before(a, b)
  local ra, rb = RANK[type(a)] or 9, RANK[type(b)] or 9
  if ra ~= rb then
    return ra < rb
  elseif ra == 4 then
    return (handle.id(a) or 0) < (handle.id(b) or 0)
  elseif ra <= 2 then
    return a < b
  end
  return ra == 3 and b and not a
end

local function sorted_keys(t)
  local keys, plain = {}, true
  for key in next, t do
    local rank = RANK[type(key)]
    if not rank then
      plain = false
    end
    keys[#keys + 1] = key
  end
  if not plain then
    report.complain("pairs: the keys are numbers, texts, truths or entities; a table or function as a key has no order")
  end
  table.sort(keys, before)
  return keys
end

local function sorted_pairs(t)
  if type(t) ~= "table" then
    report.complain("pairs takes a table, not %s", type(t))
  end
  local keys, i = sorted_keys(t), 0
  return function()
    local v
    repeat
      i = i + 1
      v = keys[i] ~= nil and rawget(t, keys[i])
    until v ~= nil
    if keys[i] ~= nil then
      return keys[i], v
    end
  end, t, nil
end

-- The key after `key` in that order. Costs a sort; made for `next(t) == nil`.
local function sorted_next(t, key)
  if key == nil and next(t) == nil then
    return nil
  end
  local keys = sorted_keys(t)
  for i = 1, #keys do
    if key == nil or before(key, keys[i]) then
      return keys[i], rawget(t, keys[i])
    end
  end
  return nil
end

-- string.format without addresses, which differ from run to run.
local function plain_format(format, ...)
  if type(format) == "string" and format:gsub("%%%%", ""):find("%%[%d%.#+ -]*p") then
    report.complain("string.format: %p would show an address, which differs from run to run")
  end
  return select("#", ...) == 0 and string.format(format) or report.format(format, ...)
end

-- Tables of the engine are not for writing past their metatables.
local function guarded_rawset(t, key, v)
  if type(t) == "table" and getmetatable(t) == false then
    report.complain("rawset: this table belongs to the engine")
  end
  return rawset(t, key, v)
end

-- What files say while they are loaded is said once, by the first VM that is built from them.
local function is_silent()
  return native.is_silent and state.loading
end

local function print_line(...)
  if is_silent() then
    return
  end
  local out = {}
  for i = 1, select("#", ...) do
    out[i] = report.plain((select(i, ...)))
  end
  native.print(table.concat(out, "\t"))
end

-- --- what is there

local function copy(from, without)
  local out = {}
  for name, v in pairs(from) do
    if not (without and without[name]) then
      out[name] = v
    end
  end
  return out
end

local function no_chance()
  report.complain("math.random is not there: world.random is the world's own stream, saved and replayed")
end

-- The functions that kernels know. With plain numbers, in loops, they are plain Lua; while a kernel is recorded they record.
local record, is_node = node.record, node.is_node

local function either(name, plain)
  local recorded = record[name]
  return function(a, b)
    if is_node(a) or is_node(b) then
      return recorded(a, b)
    end
    return plain(a, b)
  end
end

local shoal_math = {
  min = either("min", function(a, b) return b < a and b or a end),
  max = either("max", function(a, b) return b > a and b or a end),
  abs = either("abs", math.abs),
  sqrt = either("sqrt", math.sqrt),
  floor = either("floor", math.floor),
  lt = either("lt", function(a, b) return a < b end),
  le = either("le", function(a, b) return a <= b end),
  gt = either("gt", function(a, b) return a > b end),
  ge = either("ge", function(a, b) return a >= b end),
  eq = either("eq", function(a, b) return a == b end),
  all = either("all", function(a, b) return a and b end),
  any = either("any", function(a, b) return a or b end),
  not_ = either("not_", function(a) return not a end),
}

function shoal_math.clamp(v, low, high)
  return shoal_math.min(shoal_math.max(v, low), high)
end

function shoal_math.lerp(a, b, t)
  return a + (b - a) * t
end

function shoal_math.select(c, a, b)
  if is_node(c) or is_node(a) or is_node(b) then
    return record.select(c, a, b)
  elseif c then
    return a
  end
  return b
end

local env = {}
M.env = env

-- Text only: bytecode could do anything. Chunks see what game files see.
local function load_text(chunk, name, _, chunk_env)
  if type(chunk) == "function" then
    local parts = {}
    for part in chunk do
      parts[#parts + 1] = part
    end
    chunk = table.concat(parts)
  end
  return load(chunk, name or "=load", "t", chunk_env or M.game)
end

local mathematics = copy(math)
mathematics.random, mathematics.randomseed = no_chance, no_chance

for _, name in ipairs { "assert", "error", "ipairs", "pcall", "xpcall", "select", "tonumber", "type", "unpack", "rawequal", "rawget",
  "setmetatable", "getmetatable" } do
  env[name] = _G[name]
end
env._VERSION = _VERSION
env.rawset = guarded_rawset
env.pairs, env.next, env.tostring, env.print = sorted_pairs, sorted_next, report.plain, print_line
env.load, env.loadstring = load_text, load_text
env.string = copy(string, { dump = true })
env.string.format = plain_format
env.table, env.coroutine, env.math, env.bit = copy(table), copy(coroutine), mathematics, copy(require("bit"))
env.collectgarbage = function(what) -- the pace is the host's
  return (what == nil or what == "collect" or what == "count") and collectgarbage(what) or 0
end
env.table.unpack = unpack
-- A list that is filled when it is first looked at is looked at by these too.
for name, f in pairs(env.table) do
  env.table[name] = handles.settling(f)
end
for _, name in ipairs { "ipairs", "pairs", "next", "unpack", "rawget", "rawset", "setmetatable" } do
  env[name] = handles.settling(env[name])
end
-- A recursion through these goes over the stack of C, which LuaJIT does not look at. The functions of a coroutine have stacks of their own.
local MOST_STACK = 2 * 2 ^ 20

local function shallow(f)
  return function(...)
    if C.watchdog_stack_used() > MOST_STACK then
      report.complain("stack overflow: a recursion without end")
    end
    return f(...)
  end
end
env.string.gsub, env.coroutine.resume = shallow(env.string.gsub), shallow(env.coroutine.resume)
local wrap = env.coroutine.wrap
env.coroutine.wrap = function(f)
  return shallow(wrap(f))
end
-- Methods of texts: ours first, since the engine's own Lua calls them too; then what a game added to its string table.
do
  local methods = copy(env.string)
  getmetatable("").__index = setmetatable(methods, { __index = env.string })
  getmetatable("").__metatable = false
end

env.shoal = read_only({ types = types.types, none = handle.none, math = shoal_math, plugins = need("plugins").api,
  version = "0.1" }, "shoal")
env.input = read_only(need("input").api, "input")
env.draw = native.worker and parallel.refused("draw") or read_only(copy(need("draw"), { reset = true }), "draw")
env.audio = native.worker and parallel.refused("audio") or read_only(need("audio"), "audio")
env.log = read_only(need("log"), "log")
env.assets = read_only({ exists = function(name) return native.asset_exists(report.plain(name)) end }, "assets")
env.world = need("world")
env.reload = native.worker and parallel.refuse("reload()", "do it in an ordinary system") or function()
  abi.requests.reload = true
end

-- The globals of game files: reading or writing one that is not there is a mistake that is named.
M.game = setmetatable({}, {
  __index = function(_, name)
    local v = env[name]
    if v == nil then
      report.complain("there is no global %s", report.plain(name))
    end
    return v
  end,
  __newindex = function(_, name)
    report.complain("global %s: write local %s = …, or keep it in a component or a single", report.plain(name), report.plain(name))
  end,
  __metatable = false,
})
env._G = M.game

-- Only for the menu, which is a game folder of the engine itself.
function M.add_menu(api)
  env.menu = read_only(api, "menu")
end

return M
