-- What an entity was when it ceased to match: what `leave` of a system and `destroy` of a behaviour read when its rows
-- are gone. C keeps it as a text until they are called (engine/ecs/last_words.c).
local need = ...
local packed = need("base/packed")
local text = need("base/text")

---@class engine.last
---@field spoken boolean
local M = { spoken = false } -- spoken: is a `leave` being called?
local id, words, facts = 0, 0, nil -- of the entity that is spoken of; `facts` once they were asked for

---@param of integer an entity's id
---@param spoken integer the text id of its last words
function M.begin(of, spoken)
  id, words, facts, M.spoken = of, spoken, nil, true
end

function M.finish()
  id, M.spoken = 0, false
end

---@param of integer
---@return { assemblage: string, state: string, parts: table<string, table> }?
function M.facts(of)
  if id == 0 or of ~= id or words == 0 then
    return nil
  end
  facts = facts or packed.decode(text.text(words))
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
