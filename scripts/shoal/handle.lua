-- Entity handles: light userdata (id << 2) | 1. The FFI cannot take them and C calls are slow, so ids and handles find each other
-- through two tables: by entity index, and by handle. Both follow what scripts have seen; an index that is used again drops
-- the older handle, which is then decoded by C when somebody still holds it.
local need, native = ...
local abi = need("abi")
local bit = require("bit")
local band, rshift = bit.band, bit.rshift
local entities = abi.entities

local M = {}
local handles, ids = {}, {}
local INDEX = 0x3fffff

local none = native.handle_of_id(0)
ids[none] = 0
M.none = none

local function make(id)
  local index = band(id, INDEX)
  local old = handles[index]
  if old then
    ids[old] = nil
  end
  local handle = native.handle_of_id(id)
  handles[index] = handle
  ids[handle] = id
  return handle
end

-- id → handle; 0 is shoal.none.
function M.handle(id)
  if id == 0 then
    return none
  end
  local handle = handles[band(id, INDEX)]
  if handle and ids[handle] == id then
    return handle
  end
  return make(id)
end

-- handle → id; nil when it is no entity handle at all.
function M.id(handle)
  local id = ids[handle]
  if id then
    return id
  end
  return native.id_of_handle(handle)
end

function M.index(id)
  return band(id, INDEX)
end

function M.generation(id)
  return band(rshift(id, 22), 0xff)
end

function M.alive(id)
  local index = band(id, INDEX)
  return index ~= 0 and id < 0x40000000 and index < entities.used and entities.alive[index] ~= 0
    and entities.generation[index] == band(rshift(id, 22), 0xff)
end

return M
