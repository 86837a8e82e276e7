-- Queries over pairs, such as world.query { "motion", likes = apples }: their cached plans, and their methods.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local scope = need("base/scope")
local query = need("world/query")
local relation = need("world/relation")
local C = abi.C

---@class engine.pair_query
local M = {}

-- Plans of queries over one pair and any number of components. They are cached because such a query is often repeated
-- with a different target. The key contains the component names in the order of the declaration. Inspections have
-- separate plans, because their base is an inspection query.
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

-- Queries over one to four components, without other keys: a tree whose edges are the component names, in the order in
-- which they are written; the key RECORD of a node contains the query. They are cached because handlers call world.each
-- and world.query for each event, and reading a declaration takes several microseconds. Inspections and add-ons have
-- separate trees.
---@type table<boolean, table<engine.Addon|false, table>>
local plain_by_inspection = { [true] = {}, [false] = {} }
local RECORD = {}

-- Returns the number of keys, or 5 if there are more than four. Uses no loop, so that LuaJIT can compile a caller's
-- loop.
local function count_keys(t)
  local k = next(t)
  if k == nil then return 0 end
  k = next(t, k)
  if k == nil then return 1 end
  k = next(t, k)
  if k == nil then return 2 end
  k = next(t, k)
  if k == nil then return 3 end
  return next(t, k) == nil and 4 or 5
end

-- Returns the one to four elements of a declaration that contains nothing else, otherwise nil.
local function get_plain_names(declaration)
  if type(declaration) ~= "table" then
    return nil
  end
  local a, b = rawget(declaration, 1), rawget(declaration, 2)
  local c, d = rawget(declaration, 3), rawget(declaration, 4)
  local is_list = a ~= nil and (b ~= nil or c == nil) and (c ~= nil or d == nil)
  if is_list and count_keys(declaration) == (d ~= nil and 4 or c ~= nil and 3 or b ~= nil and 2 or 1) then
    return a, b, c, d
  end
end

-- Returns the cached query of up to four components; nil if it has not been added.
---@param is_inspection boolean
---@param a string? nil: returns nil
---@param b string?
---@param c string?
---@param d string?
---@return engine.Query?
function M.find_plain(is_inspection, a, b, c, d)
  local is_list = a ~= nil and (b ~= nil or c == nil) and (c ~= nil or d == nil) -- a list ends before its first nil
  local node = is_list and plain_by_inspection[is_inspection][scope.current]
  node = node and node[a]
  node = b == nil and node or node and node[b]
  node = c == nil and node or node and node[c]
  node = d == nil and node or node and node[d]
  local record = node and node[RECORD]
  if record then
    C.query_wake(record.query)
  end
  return record or nil
end

local function add_plain(record, is_inspection, names)
  local roots = plain_by_inspection[is_inspection]
  local node = roots[scope.current] or {}
  roots[scope.current] = node
  for _, name in ipairs(names) do
    node[name] = node[name] or {}
    node = node[name]
  end
  node[RECORD] = record
end

-- Returns the query for a declaration as in world.query { … }, with or without pairs.
---@param declaration any
---@param caller string
---@param check_component fun(name: string)
---@param is_inspection? boolean true for an inspection query even in systems
---@return engine.Query
function M.query(declaration, caller, check_component, is_inspection)
  is_inspection = is_inspection or query.is_inspecting()
  local a, b, c, d = get_plain_names(declaration)
  local plain = M.find_plain(is_inspection, a, b, c, d)
  if plain then
    return plain
  end
  local key, target = plan_key(declaration)
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
  elseif a ~= nil and not terms.pairs then
    add_plain(record, is_inspection, { a, b, c, d })
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
