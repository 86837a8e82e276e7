-- The list of entities that world.spawn_many returns. Long lists are filled on first access: creating a million handles
-- costs more than creating a million entities, and many callers never read the handles. Until then the table contains
-- only the few elements that determine its length, because `#` ignores metamethods of tables. Indexing fills the list
-- through its metatable; functions that bypass metatables (ipairs, table.*) are wrapped to fill it first
-- (M.wrap_to_fill, called by load/sandbox.lua).
local need, native = ...
local abi = need("base/abi")
local weak_table = need("base/weak_table")
local ffi = abi.ffi

---@class engine.Ids a reusable array of ids
---@field ids ffi.cdata* uint32_t[], from 0
---@field capacity integer
---@field owner { list?: table|function } weak: the list that is not filled yet, or the iterator over it

---@class engine.handles
local M = {}
local MIN_LAZY_COUNT = 1024 -- minimum length of lists whose filling is deferred to the first access

local unfilled = weak_table("k") -- unfilled lists: list → { spare, count }
local has_unfilled = false -- true once an unfilled list has been created

local function to_address(ids)
  return tonumber(ffi.cast("uintptr_t", ids))
end

local function fill(list)
  local entry = unfilled[list]
  if entry then
    unfilled[list] = nil
    setmetatable(list, nil)
    native.fill_handles(list, to_address(entry.spare.ids), entry.count)
    entry.spare.owner.list = nil
  end
end

local Lazy = {
  __index = function(list, key)
    fill(list)
    return rawget(list, key)
  end,
  __newindex = function(list, key, v)
    fill(list)
    rawset(list, key, v)
  end,
}

-- Id arrays for reuse: an array is available again once its list has been filled or garbage-collected.
local id_arrays, MAX_ID_ARRAYS = {}, 4

-- Returns an array with capacity for at least `count` ids. After writing the ids, pass the array to M.create_list, or
-- set its owner.list to the object that uses it: otherwise the array may be returned again.
---@param count integer
---@return engine.Ids
function M.reserve_ids(count)
  for _, array in ipairs(id_arrays) do
    if array.capacity >= count and array.owner.list == nil then
      return array
    end
  end
  local array = { ids = ffi.new("uint32_t[?]", count), capacity = count, owner = weak_table("v") }
  table.insert(id_arrays, 1, array)
  id_arrays[MAX_ID_ARRAYS + 1] = nil
  return array
end

-- Returns a list of the entities whose ids are the first `count` ids of `array`.
---@param array engine.Ids
---@param count integer
---@return shoal.Entity[]
function M.create_list(array, count)
  local address = to_address(array.ids)
  local list = count >= MIN_LAZY_COUNT and native.sparse_list(address, count) or nil
  if not list then
    return native.handle_list(address, count)
  end
  array.owner.list = list
  unfilled[list], has_unfilled = { spare = array, count = count }, true
  return setmetatable(list, Lazy)
end

-- Fills a list if it is not filled yet. Ignores any other value.
---@param list any
local function require_filled(list)
  if has_unfilled and list ~= nil and unfilled[list] then
    fill(list)
  end
end
M.require_filled = require_filled

-- Wraps `f`, a library function that bypasses the metatable of its first argument. The wrapper fills this argument
-- first if it is an unfilled list. `f` has at most five parameters, and treats a missing argument like nil, because
-- LuaJIT interprets a function with variable arguments unless a loop calls it.
---@param f function
---@return function
function M.wrap_to_fill(f)
  return function(list, a, b, c, d)
    require_filled(list)
    return f(list, a, b, c, d)
  end
end

return M
