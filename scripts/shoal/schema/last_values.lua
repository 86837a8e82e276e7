-- Last values of an entity that stopped matching a query, for `leave` of systems and `destroy` of behaviours. C keeps
-- copies of the removed rows (engine/ecs/last_values.h). A `destroy` function runs as the `leave` of its behaviour's
-- system.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local text = need("base/text")
local C, W = abi.C, abi.world

---@class engine.last
---@field active boolean
local M = { active = false } -- active: true while a `leave` function is running
local observer, id, index = 0, 0, 0 -- index: position of the entity in the observer's list
local removal ---@type integer? number of the operation that made the entity leave; nil: not looked up yet

-- Sets the observer whose `leave` calls follow (engine/ecs/changes.h).
---@param number integer
function M.begin(number)
  observer = number
end

-- Sets the entity of the next `leave` call.
---@param of integer the entity's id
---@param i integer its index in the observer's list
function M.begin_entity(of, i)
  id, index, removal, M.active = of, i, nil, true
end

function M.finish()
  id, M.active = 0, false
end

-- Returns true while the `leave` of this entity is running.
---@param of integer
---@return boolean
function M.is_of(of)
  return M.active and of == id
end

-- Returns the entity's removed row of a component, or abi.NO_ROW. `instance`: string id of the instance; nil for any
-- instance.
local function row_of(known, instance)
  removal = removal or C.observer_last_removal(W, observer, index)
  local row = C.last_values_find(known.manager, id, removal, instance or 0, not instance)
  return row
end

-- Returns true if the `leave` of this entity is running and the entity has lost a row of this component.
---@param known engine.Component
---@param of integer
---@param instance? integer string id, for `many` components
---@return boolean
function M.has(known, of, instance)
  return M.is_of(of) and known.kind ~= "single" and row_of(known, instance) ~= abi.NO_ROW
end

-- Returns the name of the entity's assemblage, or "" if it had none.
---@return string
function M.assemblage()
  return text.text(C.observer_last_assemblage(W, observer, index))
end

-- Returns the name of the entity's last state, or "" if it had none.
---@return string
function M.state()
  return text.text(C.observer_last_state(W, observer, index))
end

local DECODE = {
  bool = function(v) return v ~= 0 end,
  entity = handle.handle,
  string = text.text,
  asset = text.text,
  enum = function(v, field) return field.choices[v + 1] end,
}

-- Returns the last value of a field of the entity whose `leave` is running. Returns nil for any other entity, a
-- component of which the entity has lost no row, a singleton, a matrix, or an unknown field.
---@param known engine.Component
---@param of integer
---@param name string of the field
---@param instance? integer string id, for `many` components
---@return any
function M.field(known, of, name, instance)
  local field = known.by_name[name]
  if not field or field.type == "mat4" or not M.is_of(of) or known.kind == "single" then
    return nil
  end
  local row = row_of(known, instance)
  if row == abi.NO_ROW then
    return nil
  end
  local decode, v = DECODE[field.type], C.last_values_get(known.manager, row, field.column)
  if decode then
    return decode(v, field)
  end
  return v
end

return M
