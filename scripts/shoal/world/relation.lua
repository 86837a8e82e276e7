-- Pairs of entities and their reverse lookup (ecs/relation.h).
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local components = need("schema/component")
local value = need("schema/value")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.relation
local M = {}
local NO_ROW, PAIRS_MAX = abi.NO_ROW, 4
local count_out, instance_out = ffi.new("uint32_t[1]"), ffi.new("uint32_t[1]")
local new_table = require("table.new")

local columns = {} ---@type table<engine.Component, integer> number of the column that stores the targets of pairs

---@param component engine.Component
---@param caller string
---@return integer
local function get_column(component, caller)
  local column = columns[component] or C.relation_find_column(W, component.id, abi.error)
  if column < 0 then
    report.raise("%s: %s", caller, abi.get_error_text())
  end
  columns[component] = column
  return column
end

-- Returns the id of the entity that a script passed as a target; throws if `e` is not an entity.
---@param e any
---@param caller string
---@return integer
local function require_target_id(e, caller)
  local id = handle.get_id(e)
  if not id then
    report.raise("%s: the target of a pair must be an entity, got %s", caller, report.describe(e))
  end
  return id --[[@as integer]]
end

-- Returns the id of a pair's target; shoal.none and dead entities are errors.
---@param e any
---@param caller string
---@return integer
local function get_target_id(e, caller)
  local id = require_target_id(e, caller)
  if id == 0 then
    report.raise("%s: the target of a pair must be an entity, got shoal.none", caller)
  elseif not handle.is_alive(id) then
    report.raise("%s: a dead entity cannot be a target: %s (check with e:alive())", caller,
      components.describe_dead(id))
  end
  return id
end

M.target_id = get_target_id

-- --- entity methods that take a pair, such as e:add("likes", apples, { strength = 2 })

-- In these functions, `id` is the id of a living entity.

local adding_pairs = {} ---@type table<engine.Component, boolean> results of M.adds_pair

-- Returns true if e:add("likes", apples) adds a pair. Returns false if the component is not `many` and its only field
-- is an entity field without a cascade: the argument is then the value of this field, and may be shoal.none.
---@param component engine.Component
---@return boolean
function M.adds_pair(component)
  local adds_pair = adding_pairs[component]
  if adds_pair == nil then
    local first_field = component.fields[1]
    adds_pair = component.kind == "many" or #component.fields ~= 1 or first_field.type ~= "entity"
      or first_field.cascade ~= 0
    adding_pairs[component] = adds_pair
  end
  return adds_pair
end

-- Rejects e:add("likes", { strength = 1 }), which would add a pair without a target.
---@param component engine.Component
---@param values any
---@param instance any
function M.check_has_target(component, values, instance)
  local target = instance == nil and component.kind == "many" and component.by_name.target
  if target and target.type == "entity" and (values == nil or type(values) == "table" and values.target == nil) then
    report.raise("e:add: %s requires a target: e:add(%q, other, { … })", component.name, component.name)
  end
end

---@param id integer
---@param component engine.Component
---@param target any
---@param values any values of the pair's other fields; nil: the defaults
---@param set_packed fun(id: integer, component: engine.Component, instance: integer, n: integer)
function M.add(id, component, target, values, set_packed)
  local target_id = get_target_id(target, "e:add")
  local n = values ~= nil and value.pack(component, values) or 0
  if not C.relation_add_pair(W, id, component.id, target_id, instance_out, abi.error) then
    report.raise("e:add: %s", abi.get_error_text())
  end
  if n > 0 then
    set_packed(id, component, instance_out[0], n)
  end
end

-- Returns true if an entity whose spawn is queued will have the pair.
local function has_queued_pair(id, manager, column, target)
  local target_buffer = ffi.cast("uint32_t *", manager.data[column])
  for row = 0, target ~= 0 and manager.count - 1 or -1 do
    if manager.owner[row] == id and target_buffer[row] == target then
      return true
    end
  end
  return false
end

---@param id integer
---@param component engine.Component
---@param target any
---@return boolean
function M.has(id, component, target)
  local column = get_column(component, "e:has")
  local target_id = require_target_id(target, "e:has")
  if handle.is_queued(id) then
    return has_queued_pair(id, components.resolve_queued(component, id).manager, column, target_id)
  end
  return target_id ~= 0 and C.relation_find_row(W, id, component.id, target_id) ~= NO_ROW
end

---@param id integer
---@param component engine.Component
---@param target any
---@return boolean
function M.remove(id, component, target)
  get_column(component, "e:remove")
  local target_id = require_target_id(target, "e:remove")
  local is_removed = target_id ~= 0 and C.relation_remove_pair(W, id, component.id, target_id)
  return is_removed
end

-- Returns the string id of the instance that stores the pair. Throws if the entity lacks the pair.
---@param id integer
---@param component engine.Component
---@param target any
---@return integer
function M.get_instance(id, component, target)
  get_column(component, "e:set")
  local instance = C.relation_find_instance(W, id, component.id, get_target_id(target, "e:set"))
  if instance == NO_ROW then
    report.raise("e:set: %s has no %s with target %s: add it with e:add(\"%s\", …)", components.format_title(id),
      component.name, components.format_title(handle.get_id(target) --[[@as integer]]), component.name)
  end
  return instance
end

-- --- lookup

local function require_living_id(e, caller)
  local id = handle.get_id(e)
  if not id then
    report.raise("%s: expected an entity, got %s", caller, report.describe(e))
  elseif not handle.is_alive(id) then
    report.raise("%s: %s (check with e:alive())", caller,
      id == 0 and "shoal.none is not an entity" or components.describe_dead(id))
  end
  return id --[[@as integer]]
end

local function require_component(name, caller)
  local component = type(name) == "string" and components.by_name[name]
  if not component then
    report.raise("%s: unknown component %s%s", caller, report.show(name),
      type(name) == "string" and components.hint(name) or "")
  elseif component.kind == "single" then
    report.raise("%s: %s is a singleton, which belongs to no entity", caller, name)
  end
  return component --[[@as engine.Component]]
end

local function list_entity_fields(component)
  local fields, names = {}, {}
  for _, field in ipairs(component.fields) do
    if field.type == "entity" and not field.hidden and not field.derived then
      fields[#fields + 1] = field
      names[#names + 1] = field.name
    end
  end
  return fields, names
end

-- Returns the column of the entity field with that name, or nil and the available names.
local function find_entity_column(component, field_name)
  local fields, names = list_entity_fields(component)
  for _, field in ipairs(fields) do
    if field.name == field_name then
      return field.column, names
    end
  end
  return nil, names
end

local columns_by_path = {} ---@type table<string, integer> path of an entity field → number of its column
local components_by_path = {} ---@type table<string, engine.Component> with the same keys as columns_by_path

local function find_field(path, caller)
  local name, field = path, nil
  if type(path) == "string" and path:find(".", 1, true) then
    name, field = path:match("^([^.]*)%.(.*)$")
  end
  local component = require_component(name, caller)
  if not field then
    return component, get_column(component, caller)
  end
  local column, names = find_entity_column(component, field)
  if column then
    return component, column
  end
  report.raise("%s: %s has no entity field %s%s; available: %s", caller, component.name, field,
    report.suggest(field, names), #names == 0 and "none" or table.concat(names, ", "))
end

-- Returns the component and the column that `path` names: "bond.other" names a field, and "likes" the target field of
-- its pairs. Caches valid paths, because LuaJIT interprets the parsing.
local function require_field(path, caller)
  local column = columns_by_path[path]
  if not column then
    local component, found_column = find_field(path, caller)
    columns_by_path[path], components_by_path[path] = found_column, component
    return component, found_column
  end
  return components_by_path[path], column
end

local function append_sources(list, field_names, id, component, column, label)
  local sources, count, previous_count = C.relation_list_sources(W, id, component.id, column, count_out), count_out[0],
    #list
  for i = 1, count do
    list[previous_count + i] = handle.handle(sources[i - 1])
    field_names[previous_count + i] = label
  end
end

-- Returns the entities that refer to e through the entity field `path` ("likes" or "bond.other") or, if `path` is nil,
-- through any entity field. The list is ordered by component, field and referrer. If `path` is nil, the second list
-- contains the name of the field for each element of the first. Like a query, the lookup does not find entities that
-- the running system has spawned.
---@param e shoal.Entity
---@param path? string
---@return shoal.Entity[]
---@return string[]? fields
function M.who_targets(e, path)
  local caller = "world.who_targets"
  phases.check(caller)
  local id = require_living_id(e, caller)
  if path ~= nil then
    local component, column = require_field(path, caller)
    local sources, count = C.relation_list_sources(W, id, component.id, column, count_out), count_out[0]
    local list = new_table(count, 0)
    for i = 1, count do
      list[i] = handle.handle(sources[i - 1])
    end
    return list
  end
  local list, field_names, ids = {}, {}, {}
  for _, component in pairs(components.by_name) do
    ids[#ids + 1] = component.manager and component.kind ~= "single" and component.id or nil
  end
  table.sort(ids)
  for _, component_id in ipairs(ids) do
    local component = components.ids[component_id]
    for _, field in ipairs(list_entity_fields(component)) do
      append_sources(list, field_names, id, component, field.column, component.name .. "." .. field.name)
    end
  end
  return list, field_names
end

local id_buffer, capacity = ffi.new("shoal_entity[16]"), 16

-- Returns the living targets of the pairs that e has with the component `name`, in the order in which the pairs were
-- added. For an entity that the running system has spawned, returns the targets that it will have.
---@param e shoal.Entity
---@param name string
---@return shoal.Entity[]
function M.targets(e, name)
  local caller = "world.targets"
  phases.check(caller)
  local id, component = require_living_id(e, caller), require_component(name, caller)
  get_column(component, caller)
  local count = C.relation_list_targets(W, id, component.id, id_buffer, capacity)
  if count > capacity then
    id_buffer, capacity = ffi.new("shoal_entity[?]", count * 2), count * 2
    C.relation_list_targets(W, id, component.id, id_buffer, capacity)
  end
  local list = {}
  for i = 1, count do
    list[i] = handle.handle(id_buffer[i - 1])
  end
  return list
end

-- --- queries over pairs

-- Reads a pair of a query, such as likes = apples. In the result, `target` is the id of the target.
---@param name string
---@param target any
---@param caller string
---@return table pair
function M.read_pair(name, target, caller)
  local component = require_component(name, caller)
  get_column(component, caller)
  return { name = name, target = get_target_id(target, caller), many = component.kind == "many" }
end

-- Reads a pair in the declaration of a system. The target of likes = "apples" is the entity of that name; the target of
-- likes = "goal.at" is the entity in the field `at` of the singleton `goal`. The target is looked up on each run of the
-- system.
---@param name string
---@param target any
---@param caller string
---@return table pair
function M.read_declared(name, target, caller)
  local component = require_component(name, caller)
  local pair = { name = name, many = component.kind == "many" }
  if #list_entity_fields(component) == 0 then
    report.raise("%s: %s cannot form pairs: it has no entity field", caller, name)
  elseif type(target) ~= "string" then
    report.raise("%s: %s = %s: there are no entities while files are loaded: use %s = \"apples\" for the entity of "
      .. "this name, %s = \"goal.at\" for the entity in a field of a singleton, or world.query { %s = e } for an "
      .. "entity in a local", caller, name, report.show(target), name, name, name)
  end
  local single_name, field = target:match("^([^.]+)%.(.+)$")
  local singleton = single_name and components.by_name[single_name]
  if not singleton or singleton.kind ~= "single" then
    pair.called = target
    return pair
  end
  local column, names = find_entity_column(singleton, field)
  if column then
    pair.single, pair.column = singleton, column
    return pair
  end
  report.raise("%s: the singleton %s has no entity field %s%s; available: %s", caller, single_name, field,
    report.suggest(field, names), #names == 0 and "none" or table.concat(names, ", "))
  return pair
end

-- Adds the components of the pairs to a query's terms. Adds only the first of several `many` components, because a
-- query can have only one `many` term, which determines the rows.
---@param pairs_given table[] pairs, sorted by name
---@param terms engine.Term[]
---@param caller string
function M.add_terms(pairs_given, terms, caller)
  local is_present, row_provider = {}, nil
  if #pairs_given > PAIRS_MAX then
    report.raise("%s: too many pairs in a query: %d (at most %d)", caller, #pairs_given, PAIRS_MAX)
  end
  for _, term in ipairs(terms) do
    if term.role == "with" then
      is_present[term.name] = true
      row_provider = row_provider or components.by_name[term.name].kind == "many" and term.name or nil
    end
  end
  table.sort(pairs_given, function(a, b) -- puts the pair that provides the rows first
    if (a.name == row_provider) ~= (b.name == row_provider) then
      return a.name == row_provider
    end
    return a.name < b.name
  end)
  for _, pair in ipairs(pairs_given) do
    if not is_present[pair.name] and not (pair.many and row_provider) then
      row_provider = row_provider or pair.many and pair.name or nil
      is_present[pair.name] = true
      terms[#terms + 1] = { name = pair.name, role = "with" }
    end
  end
  table.sort(pairs_given, function(a, b)
    if is_present[a.name] ~= is_present[b.name] then
      return is_present[a.name] or false
    elseif (a.name == row_provider) ~= (b.name == row_provider) then
      return a.name == row_provider
    end
    return a.name < b.name
  end)
end

local pair_buffer = ffi.new("pair_t[?]", PAIRS_MAX)

---@param base C.query_o
---@param pairs_given table[]
---@return C.query_o
function M.query(base, pairs_given)
  for i, pair in ipairs(pairs_given) do
    local component = components.by_name[pair.name]
    pair_buffer[i - 1].manager, pair_buffer[i - 1].target = component.id, pair.target or 0
    pair_buffer[i - 1].column = get_column(component, "world.query")
  end
  if not pairs_given[1].target then
    return (C.pair_query_create(W, base, pair_buffer, #pairs_given))
  end
  local query = C.pair_query_find_or_create(W, base, pair_buffer, #pairs_given, abi.error)
  if query == nil then
    report.raise("world.query: %s", abi.get_error_text())
  end
  return query
end

local target_buffer = ffi.new("shoal_entity[?]", PAIRS_MAX)

-- Looks up the targets of a system's query over pairs before the query is opened. A target that is not found becomes 0.
---@param record engine.Query
function M.update_targets(record)
  for i, pair in ipairs(record.terms.pairs) do
    target_buffer[i - 1] = pair.called and components.find_entity(pair.called)
      or not pair.called and ffi.cast("uint32_t *", pair.single.manager.data[pair.column])[0] or 0
  end
  C.pair_query_retarget(record.query, target_buffer)
end

return M
