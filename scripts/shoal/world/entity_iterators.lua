-- Iterators of world.each. LuaJIT compiles neither the creation of a function nor an inner loop of an iterator, so each
-- iterator is taken from a pool, and destroyed entities are skipped outside the compiled code. The pool is a stack:
-- once a `for` has reached the end of the iterator that was taken last, the next loop uses the same iterator, so
-- consecutive loops run the same trace. All other iterators return to the pool when the next system runs, if they have
-- reached their end or only a `for` has used them, whose loop has then ended, perhaps with `break`. A `for` passes the
-- number of its loop to the iterator; a call by a script does not. A script may keep an iterator that it calls, and a
-- coroutine may continue its loop in a later run, so these iterators are left to the collector.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local handle_list = need("base/handle_list")
local report = need("base/report")
local state = need("base/vm_state")
local query = need("world/query")
local ffi = abi.ffi
local stays_alive, get_handle, set_current = handle.stays_alive, handle.handle, handle.set_current
local is_iterating = query.is_iterating

---@class engine.EntityIterator
---@field next fun(loop?: integer): shoal.Entity? returns the next entity, nil after the last one
---@field position engine.EntityPosition

---@class engine.EntityPosition
---@field ids ffi.cdata* the entities
---@field i integer index of the latest entity, -1 before the first one
---@field count integer number of entities
---@field loop integer number of the loop that uses the iterator: each use has a higher number
---@field first_loop integer loops with lower numbers belong to earlier runs
---@field place integer index of the iterator in the pool, -1 if it does not belong to the pool
---@field is_kept boolean true if a script may call the iterator in later runs
---@field sets_current boolean true if each entity becomes the current entity, unless a loop over a query is running
---@field array? engine.Ids array of `ids`, which is reused after the last entity; nil for the pool's array

---@class engine.entity_iterators
---@field used_count integer number of iterators of the pool that this run has used
---@field open_count integer index of the last iterator of the pool that this run may still use, 0 if there is none
local M = { used_count = 0, open_count = 0 }

local MAX_POOLED, POOLED_ENTITIES = 64, 1024 -- maximum number of iterators in the pool, and of entities for each

local pool = {} ---@type engine.EntityIterator[]

local function finish(position)
  position.i = position.count
  local place = position.place
  if place == M.open_count and not position.is_kept then
    M.open_count = place - 1
  end
  if position.sets_current and not is_iterating() then
    handle.clear_current()
  end
  local array = position.array
  if array then
    array.owner.list = nil
  end
end

local function skip_destroyed(position)
  local i, count, ids = position.i, position.count, position.ids
  while i < count and not stays_alive(ids[i]) do
    i = i + 1
  end
  position.i = i
  if i < count then
    return get_handle(ids[i])
  end
  finish(position)
  return nil
end
require("jit").off(skip_destroyed)

-- Raises an error if a loop that has ended belongs to an earlier run.
local function check_run(position, loop)
  if loop < position.first_loop then
    report.raise("this loop over world.each ended with the run of its system: call world.each again")
  end
end

-- Creates an iterator over the first entities of the array `ids`. Unless a loop over a query is running, whose entity
-- must remain the current one, the iterator makes each entity the current entity, so that accesses to its components
-- try row `i` first. Checks this for each entity, because a system can pass its iterator to a loop over a query, which
-- does not check the row of the current entity. Its position is in a table because writes to upvalues make compiled
-- loops reload all upvalues.
local function create(ids, place, array)
  local position = { ids = ids, i = -1, count = 0, loop = 0, first_loop = 0, place = place, is_kept = false,
    sets_current = false, array = array }
  local function next_entity(loop)
    if loop == nil then
      position.is_kept = true
    elseif loop ~= position.loop then
      check_run(position, loop)
      return nil
    end
    local i = position.i + 1
    position.i = i
    if i >= position.count then
      finish(position)
      return nil
    end
    local id = ids[i]
    if not stays_alive(id) then
      return skip_destroyed(position)
    end
    local sets_current = position.sets_current and not is_iterating()
    local e = sets_current and set_current(id, i) or get_handle(id)
    return e
  end
  return { next = next_entity, position = position }
end

-- Begins to iterate over a copy of the query's entities. Returns what world.each returns.
local function begin(iterator, matching)
  local position, count = iterator.position, matching.count
  local loop = position.loop + 1
  position.i, position.count, position.loop = -1, count, loop
  position.is_kept, position.sets_current = state.coroutine_depth > 0, not is_iterating()
  ffi.copy(position.ids, matching.entities, 4 * count)
  return iterator.next, loop
end

-- Begins to iterate with an iterator that does not belong to the pool. Its array is reused after the last entity.
local function begin_single(matching)
  local array = handle_list.reserve_ids(matching.count)
  local iterator = create(ffi.cast("int32_t *", array.ids), -1, array)
  array.owner.list = iterator.next
  return begin(iterator, matching)
end

local function add_to_pool()
  local iterator = create(ffi.new("int32_t[?]", POOLED_ENTITIES), #pool + 1)
  pool[#pool + 1] = iterator
  return iterator
end

-- LuaJIT compiles a loop for the function `next` of one iterator, so the same loop over another iterator leaves the
-- trace in each iteration. Once three of these functions exist, LuaJIT compiles loops for all of them.
for _ = 1, 3 do
  add_to_pool()
end

-- Returns an iterator function and the number of its loop, which a `for` passes to the function. Each call of the
-- function returns the next of the entities that the query contains now, and finally nil. Entities that are destroyed
-- before their turn are skipped. After the function has returned nil, it must not be called in later runs of systems.
---@param matching C.query_o
---@return fun(loop?: integer): shoal.Entity?
---@return integer loop
function M.iterate(matching)
  local place = M.open_count + 1
  if matching.count > POOLED_ENTITIES or place > MAX_POOLED then
    return begin_single(matching)
  end
  local iterator = pool[place] or add_to_pool()
  M.open_count = place
  if place > M.used_count then
    M.used_count = place
  end
  return begin(iterator, matching)
end

-- Returns true if a script may still call the iterator: it has not reached its end, and has never been called or may be
-- kept by a script.
local function may_continue(position)
  return position.i < position.count and (position.is_kept or position.i < 0)
end

-- Makes the iterators of ended loops available again, and removes all other used iterators from the pool. Called before
-- a system runs.
function M.release()
  for i = M.used_count, 1, -1 do
    local position = pool[i].position
    if may_continue(position) then
      pool[i] = pool[#pool]
      pool[i].position.place = i
      pool[#pool] = nil
      position.place = -1
    else
      position.loop = position.loop + 1 -- the loop has ended
      position.first_loop = position.loop
    end
  end
  M.used_count, M.open_count = 0, 0
  state.coroutine_depth = 0
  handle.clear_current() -- a loop that ended with `break` has left its entity
end

return M
