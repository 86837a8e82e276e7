-- Last values of entities. A `leave` function of a system and a `destroy` function of a behaviour can read the last
-- values of the entity that stopped matching the query. A handler of an event can read the last values of dead entities
-- that the event named when they died. C keeps copies of the removed rows (ecs/last_values.h, ecs/event_deaths.h). A
-- `destroy` function runs as the `leave` of its behaviour's system.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local text = need("base/string_table")
local C, W = abi.C, abi.world

---@class engine.last
---@field active boolean
local M = {
  active = false, -- true while a `leave` function is running
  event = 0, -- id of the event whose handler is running, or 0
}
-- The observer and the entity whose `leave` is running, and the index of the entity in the observer's list.
local observer, id, index = 0, 0, 0
local removal ---@type integer? number of the operation that made the entity leave; nil: not looked up yet

-- Sets the observer whose `leave` calls follow (ecs/changes.h).
---@param new_observer integer
function M.begin(new_observer)
  observer = new_observer
end

-- Sets the entity of the next `leave` call.
---@param entity_id integer
---@param i integer index of the entity in the observer's list
function M.begin_entity(entity_id, i)
  id, index, removal, M.active = entity_id, i, nil, true
end

function M.finish()
  id, M.active = 0, false
end

-- Makes all last values unreadable. Called after an error.
function M.reset()
  M.finish()
  M.event = 0
end

-- Returns true if last values can currently be read.
---@return boolean
function M.are_readable()
  return M.active or M.event ~= 0
end

-- Returns the number of the operation that removed the rows of an entity, if its `leave` or the handler of an event
-- that named it is running; otherwise abi.NO_ROW.
local function get_removal(entity_id)
  if M.active and entity_id == id then
    removal = removal or C.observer_last_removal(W, observer, index)
    return removal --[[@as integer]]
  elseif M.event ~= 0 then
    local removal_number = C.event_deaths_removal(W, entity_id, M.event)
    return removal_number
  end
  return abi.NO_ROW
end

-- Returns true while the `leave` of this entity, or the handler of an event that named it when it died, is running.
---@param entity_id integer
---@return boolean
function M.has_values(entity_id)
  return M.active and entity_id == id or M.event ~= 0 and get_removal(entity_id) ~= abi.NO_ROW
end

-- Returns the index of the entity's removed row of a component, or abi.NO_ROW if no readable row was removed.
-- `instance`: string id of the instance's name; nil for any instance.
local function find_removed_row(component, entity_id, instance)
  local removal_number = get_removal(entity_id)
  if removal_number == abi.NO_ROW or component.kind == "single" then
    return abi.NO_ROW
  end
  local row = C.last_values_find(component.manager, entity_id, removal_number, instance or 0, not instance)
  return row
end

-- Returns true if last values of this entity can be read and the entity has lost a row of this component.
---@param component engine.Component
---@param entity_id integer
---@param instance? integer string id, for `many` components
---@return boolean
function M.has(component, entity_id, instance)
  return find_removed_row(component, entity_id, instance) ~= abi.NO_ROW
end

-- Returns the assemblage name of the entity whose `leave` is running, or "" if it had no assemblage.
---@return string
function M.get_assemblage()
  return text.get_text(C.observer_last_assemblage(W, observer, index))
end

-- Returns the name of the entity's last state, or "" if it had no state.
---@param entity_id integer
---@return string
function M.get_state(entity_id)
  local is_leaving = M.active and entity_id == id
  return text.get_text(is_leaving and C.observer_last_state(W, observer, index)
    or C.event_deaths_state(W, entity_id, M.event))
end

local DECODE = {
  bool = function(v) return v ~= 0 end,
  entity = handle.handle,
  string = text.get_text,
  asset = text.get_text,
  enum = function(v, field) return field.choices[v + 1] end,
}

-- Returns the last value of an entity's field. Returns nil if the entity has no readable last values or has not lost a
-- row of the component, if the component is a singleton, or if the field is a matrix or unknown.
---@param component engine.Component
---@param entity_id integer
---@param name string the field's name
---@param instance? integer string id, for `many` components
---@return any
function M.get_field(component, entity_id, name, instance)
  local field = component.by_name[name]
  if not field or field.type == "mat4" then
    return nil
  end
  local row = find_removed_row(component, entity_id, instance)
  if row == abi.NO_ROW then
    return nil
  end
  local decode, v = DECODE[field.type], C.last_values_get(component.manager, row, field.column)
  if decode then
    return decode(v, field)
  end
  return v
end

return M
