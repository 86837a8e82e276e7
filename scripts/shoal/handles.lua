-- What world.spawn_many returns: a list of entities, long ones filled only when they are looked at. A million handles cost more than a
-- million entities, and many callers never look. Until then the table holds its last element alone, in an array of the right
-- length: so # is right without being asked. Indexing fills it through the metatable; whatever goes past metatables (ipairs, table.*)
-- asks `settle` first (sandbox.lua).
local need, native = ...
local abi = need("abi")
local ffi = abi.ffi

local M = {}
local LAZY = 4096 -- entities from which on a list is filled late

local waiting = setmetatable({}, { __mode = "k" }) -- list → { ids, count }
local any = false -- has there ever been one?

local function address_of(ids)
  return tonumber(ffi.cast("uintptr_t", ids))
end

local function settle(list)
  local what = waiting[list]
  if what then
    waiting[list] = nil
    setmetatable(list, nil)
    native.fill_handles(list, address_of(what.ids), 0, what.count)
  end
end

local Lazy = {
  __index = function(list, key)
    settle(list)
    return rawget(list, key)
  end,
  __newindex = function(list, key, v)
    settle(list)
    rawset(list, key, v)
  end,
}

-- `ids`: an array of `count` ids that nobody else changes.
function M.list(ids, count)
  local list = native.new_list(count)
  if count < LAZY then
    native.fill_handles(list, address_of(ids), 0, count)
    return list
  end
  native.fill_handles(list, address_of(ids), count - 1, count)
  waiting[list], any = { ids = ids, count = count }, true
  return setmetatable(list, Lazy)
end

-- `f` for scripts: a function that reads or writes its first argument without asking the metatable.
function M.settling(f)
  return function(list, ...)
    if any and list ~= nil and waiting[list] then
      settle(list)
    end
    return f(list, ...)
  end
end

return M
