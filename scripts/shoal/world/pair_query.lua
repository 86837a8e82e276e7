-- Queries over pairs, such as world.query { "motion", likes = apples }: their cached plans, and their methods.
local need = ...
local handle = need("base/handle")
local query = need("world/query")
local relation = need("world/relation")

---@class engine.pair_query
local M = {}

-- Plans of queries over one pair and any number of components. They are cached because such a query is often repeated
-- with a different target. The key contains the component names in the order in which they are written. Inspections
-- have separate plans, because their base is an inspection query.
---@type table<boolean, table<string, { base: C.query_o, terms: engine.Term[] }>>
local plans_by_inspection = { [true] = {}, [false] = {} }

-- Returns the key of the plan for a declaration, and the target of its pair. Returns nil unless the declaration
-- consists of component names and exactly one pair.
---@param declaration any
---@return string? key
---@return any target
local function plan_key(declaration)
  local key, pair, target, count = "", nil, nil, 0
  if type(declaration) ~= "table" then
    return nil
  end
  for k, v in next, declaration do
    if type(k) == "number" then
      count = count + 1
    elseif pair then
      return nil
    else
      pair, target = k, v
    end
  end
  for i = 1, count do
    local name = rawget(declaration, i)
    if type(name) ~= "string" then
      return nil
    end
    key = key .. name .. " "
  end
  if type(pair) ~= "string" or not handle.get_id(target) then
    return nil
  end
  return key .. "= " .. pair, target
end

-- Returns the query for a declaration as in world.query { … }, with or without pairs.
---@param declaration any
---@param caller string
---@param check_component fun(name: string)
---@param is_inspection? boolean true for an inspection query even in systems
---@return engine.Query
function M.query(declaration, caller, check_component, is_inspection)
  local key, target = plan_key(declaration)
  is_inspection = is_inspection or query.is_inspecting()
  local plans = plans_by_inspection[is_inspection]
  local plan = key and plans[key]
  if plan then
    plan.terms.pairs[1].target = relation.target_id(target, caller)
    return query.restrict_to_pairs(plan.base, plan.terms)
  end
  local terms = query.read(declaration, caller, check_component, relation.read_pair)
  local record = query.intern(terms, is_inspection)
  if key and terms.pairs then
    plans[key] = { base = record.base, terms = terms }
  end
  return record
end

-- The methods of bulk_changes.lua for queries over pairs. They change each entity that matches when they are called.
-- Consecutive rows of the same entity are handled once.
for _, name in ipairs { "destroy_all", "add", "remove" } do
  query.pair_methods[name] = function(record, ...)
    local list, previous = query.list_entities(record), nil
    local count = 0
    for _, e in ipairs(list) do
      if e ~= previous and name == "destroy_all" then
        count = count + (e:destroy() and 1 or 0)
      elseif e ~= previous then
        e[name](e, ...)
      end
      previous = e
    end
    return name == "destroy_all" and count or nil
  end
end

return M
