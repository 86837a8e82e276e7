-- Runs the test suites of Lua libraries, in LuaJIT and in a game: a small version of the test frameworks busted and
-- telescope. lua_libraries.lua copies this file into a game. `run` prints a line for each test:
-- RESULT, name, "ok" or the error, separated by tabs.
local M = {}

local IGNORED = { is = true, are = true, has = true, was = true, be = true, a = true, an = true, the = true }
local TYPES = { table = true, ["function"] = true, string = true, number = true, boolean = true }

-- Returns true if two values are equal, tables by their contents. `visited`: tables that are being compared.
local function is_same(a, b, visited)
  visited = type(visited) == "table" and visited or {}
  if a == b or type(a) ~= "table" or type(b) ~= "table" or visited[a] then
    return a == b or a ~= a and b ~= b or visited[a] == b
  end
  visited[a] = b
  for key, value in pairs(a) do
    if not is_same(value, b[key], visited) then
      return false
    end
  end
  for key in pairs(b) do
    if a[key] == nil then
      return false
    end
  end
  return true
end

local function raises(f, expected)
  local ok, problem = pcall(f)
  return not ok and (expected == nil or type(expected) ~= "string" or tostring(problem):find(expected, 1, true) ~= nil)
end

local CHECKS = {
  equal = function(a, b) return a == b end, same = function(a, b) return is_same(a, b) end, error = raises,
  ["true"] = function(v) return v == true end, ["false"] = function(v) return v == false end,
  ["nil"] = function(v) return v == nil end, truthy = function(v) return v end, falsy = function(v) return not v end,
  match = function(pattern, text) return text:find(pattern) end, type = function(v, kind) return type(v) == kind end,
}
CHECKS.equals, CHECKS.errors, CHECKS.matches = CHECKS.equal, CHECKS.error, CHECKS.match

-- Carries out an assertion such as is_not.equal(1, 2).
local function check(words, ...)
  local negated, name = false, nil
  for word in words:lower():gmatch("[^_.]+") do
    if word == "not" or word == "no" then
      negated = not negated
    elseif not IGNORED[word] then
      name = word
    end
  end
  local f = CHECKS[name] or TYPES[name] and function(v) return type(v) == name end
    or error("unknown assertion " .. words)
  if (f(...) and true or false) == negated then
    error("assertion failed: " .. words, 0)
  end
end

-- Returns the value of assert.is.equal: a table that can be indexed further, and called.
local function create_assertion(words)
  return setmetatable({}, {
    __index = function(_, word) return create_assertion(words and words .. "." .. word or word) end,
    __call = function(_, first, ...)
      if words then
        return check(words, first, ...)
      end
      return assert(first, ...)
    end,
  })
end

local function run_hooks(scopes, kind)
  for _, scope in ipairs(scopes) do
    for _, hook in ipairs(scope[kind]) do
      hook()
    end
  end
end

local function report(out, name, f)
  local ok, problem = pcall(f)
  out[#out + 1] = name:gsub("%s+", " ") .. "\t" .. (ok and "ok" or tostring(problem):gsub("%s+", " "))
end

-- The functions of busted and telescope. A test runs where it is declared.
local function create_framework(out)
  local scopes, names, api = {}, {}, {}
  function api.describe(name, f)
    scopes[#scopes + 1], names[#names + 1] = { before = {}, after = {} }, name
    local ok, problem = pcall(f)
    if not ok then
      out[#out + 1] = table.concat(names, " ") .. "\t" .. tostring(problem):gsub("%s+", " ")
    end
    scopes[#scopes], names[#names] = nil, nil
  end
  function api.it(name, f)
    report(out, table.concat(names, " ") .. " " .. name, function()
      run_hooks(scopes, "before")
      f()
      run_hooks(scopes, "after")
    end)
  end
  local function add_hook(kind)
    return function(f) table.insert(scopes[#scopes][kind], f) end
  end
  api.context, api.test, api.spec = api.describe, api.it, api.it
  api.before_each, api.before, api.setup = add_hook("before"), add_hook("before"), function(f) f() end
  api.after_each, api.after, api.teardown = add_hook("after"), add_hook("after"), function() end
  api.assert = create_assertion()
  return api
end

-- Modules that the suites' own frameworks provide: of Penlight, and of lume.
local function create_modules(out)
  local function equal(a, b)
    if not is_same(a, b) then
      error("values differ", 2)
    end
  end
  return {
    luacov = true,
    ["pl.test"] = { asserteq = equal, assertraise = function(f) assert(raises(f)) end, complain = error,
      asserteq2 = function(a, b, c, d) equal(a, c) equal(b, d) end, timer = function() end, tuple = function(...)
        return { n = select("#", ...), ... }
      end, assertmatch = function(s, pattern) assert(s:find(pattern)) end },
    ["util.tester"] = { test = { equal = equal, error = function(f, ...) assert(not pcall(f, ...)) end,
      global = function() end }, printresults = function() end, dotests = function(tests)
      for name, f in pairs(tests) do
        report(out, name, f)
      end
    end },
  }
end

-- Creates the globals of a suite. `read(name)` returns the text of a file, or nil.
local function create_environment(out, read)
  local env, modules = create_framework(out), create_modules(out)
  env.package, env._G = { path = "", loaded = {} }, env
  env.print = function(text)
    local name = type(text) == "string" and (text:match("^%[pass%] (.*)") or text:match("^%[fail%] (.*)"))
    if name then
      out[#out + 1] = name:gsub("\t", " ") .. "\t" .. (text:find("^%[pass") and "ok" or "failed")
    end
  end
  function env.require(name)
    local text = modules[name] == nil and name:find("^spec%.") and read(name:gsub("%.", "/") .. ".lua")
    if text then
      modules[name] = assert(load(text, "@" .. name, "t", env))() or true
    end
    return modules[name] == nil and require(name) or modules[name]
  end
  env.loadfile = function(path)
    return function() return require(path:match("([%w_]+)%.lua$")) end
  end
  return setmetatable(env, { __index = function(_, name)
    local words = type(name) == "string" and name:match("^assert_(.*)")
    return words and create_assertion(words) or rawget(_G, name)
  end })
end

-- Runs a suite. `files`: the names of its files.
---@param files string[]
---@param read fun(file: string): string?
function M.run(files, read)
  for _, file in ipairs(files) do
    local out = {}
    local env = create_environment(out, read)
    local text = read(file)
    local chunk, problem = load(text, "@" .. file, "t", env)
    if ("\n" .. text):find("\nT%(") then -- the framework of knife
      local run_scenario = load(read("knife/test.lua"), "@knife/test.lua", "t", env)()
      env.T = function(name, f) report(out, name, function() run_scenario(name, f) end) end
    end
    local ok, failure = pcall(chunk or function() error(problem, 0) end)
    if not ok or #out == 0 then
      out[#out + 1] = file .. "\t" .. (ok and "ok" or tostring(failure):gsub("%s+", " "))
    end
    for _, line in ipairs(out) do
      print("RESULT\t" .. line)
    end
  end
end

return M
