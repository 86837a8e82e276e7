-- Entity handles. A handle is a light userdata with the value (id << 2) | 1. The FFI cannot pass light userdata, and
-- calling a classic C function ends a compiled loop. Therefore C stores the most recent handle of each entity index in
-- a table of this VM (script/handles.h), through FFI calls, which LuaJIT compiles. ffi.lowbits reads the id of a handle
-- (luajit/changes/read_bits_of_light_userdata.patch).
local need, native = ...
local abi = need("base/abi")
local bit = require("bit")
local band, rshift, tobit, low_bits = bit.band, bit.rshift, bit.tobit, abi.ffi.lowbits
local new_table = require("table.new")
local entities, C = abi.entities, abi.C

---@class engine.handle
---@field none shoal.Entity
local M = {}
local INDEX = 0x3fffff -- bits of an id that contain the entity's index
M.INDEX = INDEX
local INITIAL_CAPACITY = 4096 -- initial capacity of the handle table, in entity indices

local handles = new_table(INITIAL_CAPACITY, 0)
local handle_store = abi.pointer("handles_t *", native.handles) --[[@as C.handles_t]]
-- Ids are uint32_t in C, but below 2^30. They are read as int32_t because LuaJIT would convert uint32_t to doubles.
local handle_view = abi.ffi.cast("struct { int32_t *ids; int32_t capacity; } *", handle_store)
native.share_handles(handles)
native.grow_handles(INITIAL_CAPACITY)

local none = handles[0]
M.none = none

-- Loops over entities convert the same handle repeatedly, so the most recent one is cached.
local last_handle, last_id = none, 0

-- The entity that an engine loop is processing, and its row in the loop's query (-1: none). Component accessors check
-- both first to find their row (schema/component.lua). The values are table fields because writes to upvalues, or to
-- integers in memory, make compiled loops reload all upvalues. `keeps_accessors`: see M.keep_accessors.
local current = { handle = none, id = 0, row = -1, keeps_accessors = false }

local function grow_tables(index)
  local capacity = 2 * handle_store.capacity
  while capacity <= index do
    capacity = 2 * capacity
  end
  native.grow_handles(capacity)
end

require("jit").off(grow_tables)

local function get_handle(id)
  local index = band(id, INDEX)
  if index >= handle_view.capacity then
    grow_tables(index)
  end
  if handle_view.ids[index] ~= id then
    C.handles_create_handle(handle_store, entities, id)
  end
  return handles[index]
end

-- Returns the handle of an id, or shoal.none if the id is 0.
---@param id integer
---@return shoal.Entity
function M.handle(id)
  if id == 0 then
    return none
  end
  local handle = get_handle(id)
  last_handle, last_id = handle, id
  return handle
end

-- Like M.handle, but does not cache the handle: for copies of many ids.
---@param id integer
---@return shoal.Entity
function M.find_handle(id)
  if id == 0 then
    return none
  end
  local handle = get_handle(id)
  return handle
end

-- Returns the handle of an id other than 0, and makes the entity the current entity of a loop, at row `row` (from 0) of
-- the loop's query.
---@param id integer
---@param row integer
---@return shoal.Entity
function M.set_current(id, row)
  local handle = get_handle(id)
  current.handle, current.id, current.row = handle, id, row
  return handle
end

-- Clears the current entity. Called at the end of every loop, including nested loops.
function M.clear_current()
  current.handle, current.id, current.row = none, 0, -1
end

-- Sets whether an accessor of the current entity, such as e.health, is kept and returned again by later accesses
-- instead of being created for each access (schema/component.lua). Returns the previous value.
---@param keeps boolean
---@return boolean
function M.keep_accessors(keeps)
  local previous = current.keeps_accessors
  current.keeps_accessors = keeps
  return previous
end

-- Returns true if accessors of the current entity are kept.
---@return boolean
function M.keeps_accessors()
  return current.keeps_accessors
end

-- Returns true if a loop is processing this entity at this row of its query.
---@param id integer
---@param row integer
---@return boolean
function M.is_at(id, row)
  return row == tobit(current.row) and id == tobit(current.id)
end

-- Returns the id of a handle and the row that the current loop is processing. The row is -1 if the loop is not
-- processing this entity.
---@param handle any
---@return integer id
---@return integer row
function M.find_id_and_row(handle)
  if handle == current.handle then
    return tobit(current.id), tobit(current.row)
  end
  local id = M.get_id(handle) --[[@as integer]]
  return id, -1
end

-- Returns the id of a handle, or nil if the value is not an entity handle.
---@param handle any
---@return integer?
function M.get_id(handle)
  if handle == current.handle then
    local id = tobit(current.id)
    return id
  elseif handle == last_handle then
    return last_id
  end
  local low = low_bits(handle) -- 0 for any value except light userdata
  if band(low, 3) ~= 1 then
    return nil
  end
  local id = rshift(low, 2)
  return id
end

---@param id integer
---@return integer
function M.index(id)
  return (band(id, INDEX))
end

---@param id integer
---@return integer from 0 to 255
function M.get_generation(id)
  return (band(rshift(id, 22), 0xff))
end

---@param id integer
---@return boolean
function M.is_alive(id)
  local index = band(id, INDEX)
  return index ~= 0 and id < 0x40000000 and index < entities.used and entities.alive[index] ~= 0
    and entities.generation[index] == band(rshift(id, 22), 0xff)
end

-- Returns the index of a dead entity if the index has not been reused. Returns nil for any other id. Until the index is
-- reused, C keeps the entity's last assemblage and name under this index (ecs/entity.h).
---@param id integer
---@return integer?
function M.find_last_index(id)
  local index = band(id, INDEX)
  if index ~= 0 and id < 0x40000000 and index < entities.used and entities.alive[index] == 0
    and entities.generation[index] == band(rshift(id, 22) + 1, 0xff) then
    return index
  end
end

local DOOMED, QUEUED = 8, 32 -- equal to MARK_DOOMED and MARK_QUEUED in ecs/entity.h

-- Returns true if the entity is alive and no queued command will destroy it.
---@param id integer
---@return boolean
function M.stays_alive(id)
  return M.is_alive(id) and band(entities.marks[band(id, INDEX)], DOOMED) == 0
end

-- Returns true if the entity is alive and its spawn is queued: its rows will be added when the system ends.
---@param id integer
---@return boolean
function M.is_queued(id)
  return M.is_alive(id) and band(entities.marks[band(id, INDEX)], QUEUED) ~= 0
end

return M
