-- Iterators of world.each. LuaJIT compiles neither the creation of a function nor an inner loop of an iterator, so each
-- iterator is taken from a pool, and destroyed entities are skipped outside the compiled code. An iterator returns to
-- the pool when the next system runs, if it has reached its end. A loop that ended with `break` does not report its
-- end, and a coroutine may continue its loop in a later run, so other iterators are left to the collector.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local handle_list = need("base/handle_list")
local query = need("world/query")
local ffi = abi.ffi
local stays_alive, get_handle, set_current = handle.stays_alive, handle.handle, handle.set_current
local is_iterating = query.is_iterating

---@class engine.EntityIterator
---@field next fun(): shoal.Entity? returns the next entity, nil after the last one
---@field begin fun(matching: C.query_o) begins to iterate over a copy of the query's entities
---@field position { i: integer, count: integer, sets_current: boolean } index of the latest entity, number of entities

---@class engine.entity_iterators
---@field used_count integer number of iterators of the pool that this run has used
local M = { used_count = 0 }

local MAX_POOLED, POOLED_ENTITIES = 64, 1024 -- maximum number of iterators in the pool, and of entities for each

local pool = {} ---@type engine.EntityIterator[]

-- Creates an iterator over the first entities of the array `ids`. `on_end` is called after the last entity. Unless a
-- loop over a query is running, whose entity must remain the current one, the iterator makes each entity the current
-- entity, so that accesses to its components try row `i` first. Checks this for each entity, because a system can pass
-- its iterator to a loop over a query, which does not check the row of the current entity. Its position is in a table
-- because writes to upvalues make compiled loops reload all upvalues.
local function create(ids, on_end)
  local position = { i = -1, count = 0, sets_current = false }
  local function finish()
    position.i = position.count
    if position.sets_current and not is_iterating() then
      handle.clear_current()
    end
    if on_end then
      on_end()
    end
  end
  local function skip_destroyed()
    local i, count = position.i, position.count
    while i < count and not stays_alive(ids[i]) do
      i = i + 1
    end
    position.i = i
    if i < count then
      return get_handle(ids[i])
    end
    finish()
    return nil
  end
  require("jit").off(skip_destroyed)
  local function next_entity()
    local i = position.i + 1
    position.i = i
    if i >= position.count then
      finish()
      return nil
    end
    local id = ids[i]
    if not stays_alive(id) then
      return skip_destroyed()
    end
    local sets_current = position.sets_current and not is_iterating()
    local e = sets_current and set_current(id, i) or get_handle(id)
    return e
  end
  local function begin(matching)
    position.i, position.count, position.sets_current = -1, matching.count, not query.is_iterating()
    ffi.copy(ids, matching.entities, 4 * matching.count)
  end
  return { next = next_entity, begin = begin, position = position }
end

-- Returns an iterator that does not belong to the pool. Its array is reused after the last entity.
local function create_single(matching)
  local array = handle_list.reserve_ids(matching.count)
  local iterator = create(ffi.cast("int32_t *", array.ids), function() array.owner.list = nil end)
  array.owner.list = iterator.next
  iterator.begin(matching)
  return iterator.next
end

local function add_to_pool()
  local iterator = create(ffi.new("int32_t[?]", POOLED_ENTITIES))
  pool[#pool + 1] = iterator
  return iterator
end

-- LuaJIT compiles a loop for the function `next` of one iterator, so the same loop over a different iterator leaves the
-- trace in each iteration. Once three of these functions exist, LuaJIT compiles loops for all of them.
for _ = 1, 3 do
  add_to_pool()
end

-- Returns a function that returns the entities that the query contains now, one for each call, and then nil. Skips
-- entities that are destroyed before their turn. After it has returned nil, it must not be called in later runs of
-- systems.
---@param matching C.query_o
---@return fun(): shoal.Entity?
function M.iterate(matching)
  local used_count = M.used_count
  if matching.count > POOLED_ENTITIES or used_count == MAX_POOLED then
    return create_single(matching)
  end
  local iterator = pool[used_count + 1] or add_to_pool()
  M.used_count = used_count + 1
  iterator.begin(matching)
  return iterator.next
end

-- Returns the iterators that earlier runs have finished to the pool. Called before a system runs.
function M.release()
  for i = M.used_count, 1, -1 do
    local position = pool[i].position
    if position.i < position.count then
      pool[i] = pool[#pool]
      pool[#pool] = nil
    end
  end
  M.used_count = 0
  handle.clear_current() -- a loop that ended with `break` has left its entity
end

return M
