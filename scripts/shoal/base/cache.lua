-- Implements shoal.cache(function() return { … } end), which creates the only tables that functions of a game may keep
-- between ticks. The contents of such a table are derived from the world and the files, so they can be discarded at any
-- time. After the world has been restored to a different state, the function is called again to refill the table before
-- the next system runs. Scripts keep the same table.
local need = ...
local protected_call = need("base/protected_call")
local phases = need("base/phases")
local report = need("base/report")
local text = need("base/string_table")

---@class engine.Cache
---@field table table the table that scripts hold
---@field build fun(): table
---@field filled? boolean the table has been filled since the world was last restored
---@field failed? boolean true if `build` has failed; the table stays empty
---@field is_reported? boolean true if a weak table in this cache has been reported

---@class engine.cache
---@field is table<table, engine.Cache> table → its cache
---@field is_constant table<table, boolean> tables that were frozen with the engine's metatable (base/hidden_state.lua)
local M = { is = {}, is_constant = {} }
local caches = {}       -- all caches in order of creation; filled in this order, so that a cache can read earlier ones
local is_stale = true

---@param build any
---@return table
function M.create(build)
  phases.check("shoal.cache")
  if type(build) ~= "function" then
    report.raise("shoal.cache: expected a function that returns a table, got %s", report.describe(build))
  end
  local cache = { table = {}, build = build }
  caches[#caches + 1], M.is[cache.table], is_stale = cache, cache, true
  return cache.table
end

local function clear_table(t)
  debug.setmetatable(t, nil) -- also removes a script's metatable that is protected by `__metatable`
  for key in next, t do
    t[key] = nil
  end
end

local MAX_SEARCHED = 10000 -- maximum number of tables that find_weak_table searches per cache

-- Returns the path of the first weak table in a cache, such as "[paths][3]", or "" for the cache's own table. Returns
-- nil if none of the first MAX_SEARCHED tables is weak.
local function find_weak_table(root)
  local queue, visited, index = { { root, "" } }, { [root] = true }, 0
  while index < #queue and index < MAX_SEARCHED do
    index = index + 1
    local t, path = queue[index][1], queue[index][2]
    local metatable = debug.getmetatable(t)
    if metatable and rawget(metatable, "__mode") ~= nil then
      return path
    end
    for key, v in next, t do
      if type(v) == "table" and not visited[v] and not M.is_constant[v] then
        visited[v] = true
        queue[#queue + 1] = { v, path .. "[" .. report.show(key) .. "]" }
      end
    end
  end
end

local weak_call ---@type { file: string, line: integer }? the call that made a table weak after loading, not checked yet

-- Records the location of a script's call that sets a metatable with __mode while the game is running, for
-- M.find_added_weak.
function M.record_weak_call()
  for level = 3, 8 do
    local frame = not weak_call and debug.getinfo(level, "Sl")
    if frame and frame.source:find("^@") and not frame.source:find("^@%[shoal%]") then
      weak_call = { file = frame.source:sub(2), line = frame.currentline }
    end
  end
end

-- Finds a weak table that a script has added to a cache since the last call, and returns the error message and the
-- location of the call that made the table weak. Returns nil if no weak table was added. Reports each cache at most
-- once.
---@return string? message
---@return string? file
---@return integer? line
function M.find_added_weak()
  local location = weak_call
  weak_call = nil
  for _, cache in ipairs(location and caches or {}) do
    local path = not cache.is_reported and find_weak_table(cache.table)
    if path then
      cache.is_reported, weak_call = true, location
      return string.format("shoal.cache: the table%s was added to the cache and is weak (__mode), but scripts "
        .. "cannot use weak tables: remove __mode, and remove unused entries explicitly",
        path == "" and "" or " cache" .. path), location.file, location.line
    end
  end
end

-- Throws the error about the result of a cache's function, with the function's file and line.
local function reject(cache, fmt, ...)
  local info = debug.getinfo(cache.build, "S")
  report.fail { message = string.format(fmt, ...), file = (info.source:gsub("^[@=]", "")), line = info.linedefined }
end

local function rebuild(cache)
  local result = cache.build()
  if type(result) ~= "table" then
    reject(cache, "shoal.cache: the function must return a table, got %s", report.describe(result))
  end
  local metatable = not M.is_constant[result] and debug.getmetatable(result) or nil
  if metatable and rawget(metatable, "__metatable") == false then
    reject(cache, "shoal.cache: the function returned an engine table or a table with a hidden metatable: return "
      .. "a new table")
  end
  local weak = find_weak_table(result)
  if weak then
    reject(cache, "shoal.cache: the table%s is weak (__mode), but scripts cannot use weak tables: remove __mode, and "
      .. "remove unused entries explicitly", weak == "" and "" or " cache" .. weak)
  end
  for key, v in next, result do
    cache.table[key] = v
  end
  debug.setmetatable(cache.table, metatable)
end

-- Fills a cache. The function may read the world but not change it. If the function fails, returns the error; the table
-- then stays empty, and the function is not called again.
local function build(cache)
  clear_table(cache.table)
  local phase, description = phases.enter("cache")
  local ok, problem = protected_call.call(rebuild, cache)
  phases.enter(phase, description)
  cache.failed = not ok
  return problem
end

-- Refills stale caches. Must be called before any function of a game runs.
function M.refresh()
  if not is_stale then
    return
  end
  is_stale = false
  local first_error
  for _, cache in ipairs(caches) do
    if not cache.failed and not cache.filled then
      cache.filled = true
      first_error = build(cache) or first_error
    end
  end
  if first_error then
    error(first_error, 0)
  end
end

text.add_change_listener(function()
  is_stale = true
  for _, cache in ipairs(caches) do
    cache.filled = false
  end
end)

return M
