-- Entity handles: light userdata (id << 2) | 1. The FFI cannot take them and C calls are slow, so ids and handles find
-- each other through tables: by entity index, and by handle. They follow what scripts have seen. What they know of the
-- dead stays true and is left there, for taking single keys out of a large hash makes it be built anew again and again;
-- when there is more of that than of the living, all of it is forgotten. A handle that somebody still holds is then
-- decoded by C.
--
-- Looking up by handle hashes, which misses the cache in a large world. A loop over entities asks for the handle that
-- it got last again and again: that one is remembered.
local need, native = ...
local abi = need("abi")
local bit = require("bit")
local band, rshift, tobit = bit.band, bit.rshift, bit.tobit
local new_table = require("table.new")
local entities = abi.entities

---@class engine.handle
---@field none shoal.Entity
local M = {}
local handles, id_at, ids = {}, {}, {} -- index → handle, index → its id, handle → id
local INDEX = 0x3fffff

local none = native.handle_of_id(0)
ids[none] = 0
M.none = none

local last, last_id = none, 0

-- The entity that a loop of the engine's is at, and the row of its query: where its components' rows are looked for
-- first (component.lua). Fields: what writes to upvalues, or to whole numbers in memory, makes compiled loops read all
-- the others anew.
local at_hand = { handle = none, id = 0, row = -1 }

local SPARE = 65536
local known, outlived = 0, 0 -- indices; handles of entities whose index has gone to another one

local function forget()
  handles, id_at, ids = new_table(known, 0), new_table(known, 0), new_table(0, 2 * known)
  ids[none] = 0
  known, outlived = 0, 0
end

local function learn(id, handle)
  local index = band(id, INDEX)
  if not id_at[index] then
    known = known + 1
  else
    outlived = outlived + 1
    if outlived > known + SPARE then
      forget()
    end
  end
  handles[index], id_at[index] = handle, id
  ids[handle] = id
  return handle
end

-- A loop that is being compiled must not meet an entity for the first time: the call into C would be part of its trace
-- for ever after. So handles are made for a block of indices when the first of them is asked for, of those to come as
-- well.
local BLOCK = 1024

local function make_block(index)
  local used, generation = entities.used, entities.generation
  local first = index - index % BLOCK
  for i = math.max(first, 1), first + BLOCK - 1 do
    if not id_at[i] then
      local id = i < used and generation[i] * 0x400000 + i or i
      local handle = native.handle_of_id(id)
      handles[i], id_at[i] = handle, id
      ids[handle] = id
      known = known + 1
    end
  end
end

local function make(id)
  local index = band(id, INDEX)
  if not id_at[index] then
    make_block(index)
    if id_at[index] == id then
      return handles[index]
    end
  end
  return learn(id, native.handle_of_id(id))
end

-- A handle that C made (a list of entities), or that was forgotten, or of the dead.
local function decode(handle)
  local id = native.id_of_handle(handle)
  if id and M.alive(id) then
    local index = band(id, INDEX)
    if not id_at[index] then
      make_block(index)
    end
    if id_at[index] ~= id then
      learn(id, handle)
    end
  end
  return id
end

-- These call C. Were they part of a trace, a loop that is compiled later would end where they begin.
require("jit").off(make_block)
require("jit").off(make)
require("jit").off(decode)

local function handle_of(id)
  local index = band(id, INDEX)
  return id_at[index] == id and handles[index] or make(id)
end

-- id → handle; 0 is shoal.none.
---@param id integer
---@return shoal.Entity
function M.handle(id)
  if id == 0 then
    return none
  end
  local handle = handle_of(id)
  last, last_id = handle, id
  return handle
end

-- The same for a loop: it is at this entity from here on, in row `row` of its query, from 0.
---@param id integer
---@param row integer
---@return shoal.Entity
function M.at(id, row)
  local handle = handle_of(id)
  at_hand.handle, at_hand.id, at_hand.row = handle, id, row
  return handle
end

-- The loop is over, or another one ran within it.
function M.leave()
  at_hand.handle, at_hand.id, at_hand.row = none, 0, -1
end

-- handle → id, and where a loop is at, -1 for what it is not at.
---@param handle any
---@return integer id
---@return integer row
function M.find(handle)
  if handle == at_hand.handle then
    return tobit(at_hand.id), tobit(at_hand.row)
  end
  local id = M.id(handle) --[[@as integer]]
  return id, -1
end

-- handle → id; nil when it is no entity handle at all.
---@param handle any
---@return integer?
function M.id(handle)
  if handle == at_hand.handle then
    local id = tobit(at_hand.id)
    return id
  elseif handle == last then
    return last_id
  end
  return ids[handle] or decode(handle)
end

---@param id integer
---@return integer
function M.index(id)
  return (band(id, INDEX))
end

---@param id integer
---@return integer from 0 to 255
function M.generation(id)
  return (band(rshift(id, 22), 0xff))
end

---@param id integer
---@return boolean
function M.alive(id)
  local index = band(id, INDEX)
  return index ~= 0 and id < 0x40000000 and index < entities.used and entities.alive[index] ~= 0
    and entities.generation[index] == band(rshift(id, 22), 0xff)
end

local DOOMED = 8 -- MARK_DOOMED

-- What scripts are told: an entity that a queued command destroys is alive until then, and dead to who asks.
---@param id integer
---@return boolean
function M.stays_alive(id)
  return M.alive(id) and band(entities.marks[band(id, INDEX)], DOOMED) == 0
end

return M
