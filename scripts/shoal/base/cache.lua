-- Implements shoal.cache(function() return { … } end), which creates the only tables that functions of a game may keep
-- between ticks. Their contents are derived from the world and the files, so they can be discarded at any time:
-- whenever the world is restored to another state, the function refills the table before the next system runs. The
-- table keeps its identity.
local need = ...
local protected_call = need("base/protected_call")
local phases = need("base/phases")
local report = need("base/report")
local text = need("base/text")

---@class engine.Cache
---@field table table the table that scripts hold
---@field build fun(): table
---@field filled? boolean
---@field failed? boolean

---@class engine.cache
---@field is table<table, engine.Cache> table → its cache
---@field is_constant table<table, boolean> tables with the engine's metatable; filled by base/hidden_state.lua
local M = { is = {}, is_constant = {} }
local list = {}       -- in order of creation, because a cache may read an earlier one
local stale = true

---@param build any
---@return table
function M.make(build)
  phases.check("shoal.cache")
  if type(build) ~= "function" then
    report.raise("shoal.cache: expected a function that returns a table, got %s", type(build))
  end
  local cache = { table = {}, build = build }
  list[#list + 1], M.is[cache.table], stale = cache, cache, true
  return cache.table
end

local function empty(t)
  debug.setmetatable(t, nil) -- also removes a script's metatable that is protected by `__metatable`
  for key in next, t do
    t[key] = nil
  end
end

local function fill(cache)
  local made = cache.build()
  if type(made) ~= "table" then
    report.raise("shoal.cache: its function must return a table, got %s", type(made))
  end
  local metatable = not M.is_constant[made] and debug.getmetatable(made) or nil
  if metatable and rawget(metatable, "__metatable") == false then
    report.raise("shoal.cache: its function returned an engine table or one with a hidden metatable: return a "
      .. "new table")
  end
  for key, v in next, made do
    cache.table[key] = v
  end
  debug.setmetatable(cache.table, metatable)
end

-- Fills a cache. The function may read the world but not change it. If it fails, the error is reported once, the table
-- stays empty, and the function is not called again.
local function build(cache)
  empty(cache.table)
  local phase, description = phases.enter("cache")
  local good, problem = protected_call.call(fill, cache)
  phases.enter(phase, description)
  cache.failed = not good
  return problem
end

-- Refills stale caches; called before any function of a game runs.
function M.refresh()
  if not stale then
    return
  end
  stale = false
  local first
  for _, cache in ipairs(list) do
    if not cache.failed and not cache.filled then
      cache.filled = true
      first = build(cache) or first
    end
  end
  if first then
    error(first, 0)
  end
end

text.on_change(function()
  stale = true
  for _, cache in ipairs(list) do
    cache.filled = false
  end
end)

return M
