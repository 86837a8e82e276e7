-- What an entity was when it ceased to match: what `leave` of a system and `destroy` of a behaviour read when its rows
-- are gone. C keeps it as a text until they are called (engine/ecs/last_words.c).
local need = ...
local abi = need("base/abi")
local packed = need("base/packed")
local text = need("base/text")

local C, W = abi.C, abi.world

---@class engine.last
---@field spoken boolean
local M = { spoken = false } -- spoken: is a `leave` being called?
local observer = 0
local id, index, facts = 0, 0, nil -- the entity, its place in the list, and its values once they were read

-- The calls of `leave` of this observer (engine/ecs/changes.h) begin.
---@param number integer
function M.watch(number)
  observer = number
end

-- `leave` is called for this entity.
---@param of integer an entity's id
---@param i integer its place in the observer's list
function M.at(of, i)
  id, index, facts, M.spoken = of, i, nil, true
end

function M.finish()
  id, M.spoken = 0, false
end

---@param of integer
---@return { assemblage: string, state: string, parts: table<string, table> }?
function M.facts(of)
  if id == 0 or of ~= id then
    return nil
  end
  if not facts then
    local words = C.observer_words(W, observer, index)
    facts = words ~= 0 and packed.decode(text.text(words)) or nil
  end
  return facts
end

-- The fields that its component had, or of one with named instances those of each; nil when it had none.
---@param of integer
---@param component string
---@return table<string, any>?
function M.part(of, component)
  local known = M.facts(of)
  return known and known.parts[component]
end

return M
