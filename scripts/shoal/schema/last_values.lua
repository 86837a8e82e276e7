-- Last values of an entity that stopped matching, for `leave` of systems and `destroy` of behaviours. C keeps copies of
-- the removed rows (engine/ecs/last_values.h).
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local text = need("base/text")
local C, W = abi.C, abi.world

---@class engine.last
---@field spoken boolean
local M = { spoken = false } -- spoken: is a `leave` being called?
local observer, id, index = 0, 0, 0 -- index: the entity's place in the observer's list
local removal ---@type integer? rows that were removed from there on are those of the entity; nil: not asked for yet

-- The `leave` calls of this observer (engine/ecs/changes.h) start.
---@param number integer
function M.watch(number)
  observer = number
end

-- `leave` is called for this entity.
---@param of integer an entity's id
---@param i integer its place in the observer's list
function M.at(of, i)
  id, index, removal, M.spoken = of, i, nil, true
end

function M.finish()
  id, M.spoken = 0, false
end

-- True while its `leave` is being called.
---@param of integer
---@return boolean
function M.is_of(of)
  return M.spoken and of == id
end

-- Its row of a component, of this instance or of any; abi.NO_ROW if it has not lost one.
local function row_of(known, instance)
  removal = removal or C.observer_last_removal(W, observer, index)
  local row = C.last_row(known.manager, id, removal, instance or 0, not instance)
  return row
end

---@param known engine.Component
---@param of integer
---@param instance? integer a text id, of a `many` component
---@return boolean
function M.has(known, of, instance)
  return M.is_of(of) and known.kind ~= "single" and row_of(known, instance) ~= abi.NO_ROW
end

-- "" without one.
---@return string
function M.assemblage()
  return text.text(C.observer_last_assemblage(W, observer, index))
end

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

-- The value of a field; nil if the entity did not have the component. `instance`: a text id, of a `many` component.
---@param known engine.Component
---@param of integer
---@param name string of the field
---@param instance? integer
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
  local decode, v = DECODE[field.type], C.last_value(known.manager, row, field.column)
  if decode then
    return decode(v, field)
  end
  return v
end

return M
