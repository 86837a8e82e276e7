-- Queues e:add, e:remove and e:destroy without a call into C if the call repeats the previous command for a different
-- entity, or continues an alternation of two commands. For this purpose, the world publishes its command lane
-- (world_command_lane, ecs/world.h): the code of the next command that can be extended, the list of entities in that
-- command, and the address of the list's count. The lane is closed outside systems and after any command of a different
-- kind.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local entities = abi.entities

---@class engine.fast_commands
local M = {}
local DESTROY, ADD, REMOVE = 3, 4, 5 -- values of command_kind_t
local STAGED, DOOMED = 2, 8          -- equal to MARK_STAGED and MARK_DOOMED in ecs/entity.h
local INDEX = handle.INDEX
local band = require("bit").band

-- Uses int32_t for C's uint32_t, as in base/handle.lua.
local lane = abi.ffi.cast([[struct {
  int32_t next, after, *joined; struct { int32_t *items, count, capacity; } *lists;
} *]], abi.C.world_command_lane(abi.world))
local lists = lane.lists

-- Returns the lane's codes for adding and removing a component.
---@param id integer id of the component's manager
---@return integer add
---@return integer remove
function M.get_codes(id)
  return id * 256 + ADD, id * 256 + REMOVE
end

-- Returns true if the next call of M.try_change with this code may extend the command that was queued last.
---@param code integer
---@return boolean
function M.is_next(code)
  return lane.next == code
end

-- Appends the entity to the command that can be extended. Writes the entity before the count, so that an interruption
-- leaves no partial entry.
local function append_entity(id)
  local index, next = lists.count, lane.next
  lists.items[index] = id
  lists.count = index + 1
  lane.joined[0] = lane.joined[0] + 1
  lane.next, lane.after = lane.after, next
end

-- Queues the addition or removal of a component. Returns false if the caller must queue a separate command or raise an
-- error.
---@param code integer result of M.get_codes
---@param id integer
---@return boolean
function M.try_change(code, id)
  if lane.next ~= code or lists.count >= lists.capacity or not handle.is_alive(id)
    or band(entities.marks[band(id, INDEX)], STAGED) ~= 0 then
    return false
  end
  append_entity(id)
  return true
end

-- Queues the destruction of an entity. Returns false if the caller must queue a separate command or raise an error.
---@param id integer
---@return boolean
function M.destroy(id)
  if lane.next ~= DESTROY or lists.count >= lists.capacity or not handle.is_alive(id) then
    return false
  end
  local index = band(id, INDEX)
  local marks = entities.marks[index]
  if band(marks, DOOMED) ~= 0 then
    return false
  end
  append_entity(id)
  entities.marks[index] = marks + DOOMED
  return true
end

return M
